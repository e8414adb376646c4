package dev.onset.signals;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * From exporters' metric names, of all versions, to signals: the one place that knows how metrics lie. The kind of a
 * signal decides how its column is filled, never the TYPE that the exporter states: two JuiceFS counters are exposed as
 * gauges, and with OpenMetrics negotiation its other counters arrive as {@code unknown}.
 */
public final class MetricDictionary {
    /** Everything that this service reads from exporters. */
    public static final MetricDictionary STANDARD = new MetricDictionary(Map.of());

    /** The standard dictionary and more, for metrics that it does not know. */
    public static MetricDictionary extended(Map<String, List<Mapping>> more) {
        return new MetricDictionary(more);
    }

    /**
     * How the series of one metric name become a signal. Several series of the same signal and part are added up, so
     * that a label that a newer version added (storage class, method) changes nothing.
     *
     * @param signal which signal
     * @param label only series with this label having one of {@code values}; null takes all
     * @param values accepted label values
     * @param partLabels the first of these labels that is present names the part; empty where there is no part
     * @param scale multiplies the exported value into the signal's unit
     * @param low smallest credible exported value
     * @param high largest credible exported value
     */
    public record Mapping(
            Signal signal,
            @Nullable String label,
            Set<String> values,
            List<String> partLabels,
            double scale,
            double low,
            double high) {
        public boolean credible(double exported) {
            return exported >= low && exported <= high;
        }
    }

    /** Signals whose label vectors do not exist until the first event: absent from a good answer means zero. */
    private static final Set<Signal> ZERO_WHEN_ABSENT = EnumSet.of(
            Signal.GET_SECONDS,
            Signal.GETS,
            Signal.GET_BYTES,
            Signal.PUT_SECONDS,
            Signal.PUTS,
            Signal.PUT_BYTES,
            Signal.DELETES,
            Signal.IO_ERRORS,
            Signal.READ_SECONDS,
            Signal.READS,
            Signal.WRITE_SECONDS,
            Signal.TXN_RESTARTS);

    /** Of those, the ones that exist only since JuiceFS 1.2. */
    private static final Set<Signal> SINCE_1_2 =
            EnumSet.of(Signal.IO_ERRORS, Signal.READ_SECONDS, Signal.READS, Signal.WRITE_SECONDS);

    private static final double ANY = Double.MAX_VALUE;

    private final Map<String, List<Mapping>> mappings = new HashMap<>();
    private final byte[][] names;

    private MetricDictionary(Map<String, List<Mapping>> more) {
        juicefs();
        node();
        accelerators();
        training();
        more.forEach((metric, each) -> each.forEach(mapping -> add(metric, mapping)));
        names = table();
    }

    /** The mappings of a metric name; empty for names that nothing reads. */
    public List<Mapping> of(String metric) {
        return mappings.getOrDefault(metric, List.of());
    }

    /** Whether the metric named {@code text[from, to)} is read: asked for each line, so it allocates nothing. */
    public boolean knows(byte[] text, int from, int to) {
        int slot = hash(text, from, to) & (names.length - 1);
        while (names[slot].length > 0) {
            if (Arrays.equals(names[slot], 0, names[slot].length, text, from, to)) {
                return true;
            }
            slot = (slot + 1) & (names.length - 1);
        }
        return false;
    }

    /** The signals that a good answer of a JuiceFS client of this version means to be zero when it leaves them out. */
    public static Set<Signal> zeroWhenAbsent(Version version) {
        EnumSet<Signal> zero = EnumSet.copyOf(ZERO_WHEN_ABSENT);
        if (!version.atLeast(1, 2)) {
            zero.removeAll(SINCE_1_2);
        }
        return zero;
    }

    private void juicefs() {
        all("juicefs_blockcache_miss_bytes", Signal.MISS_BYTES);
        all("juicefs_blockcache_hit_bytes", Signal.HIT_BYTES);
        all("juicefs_blockcache_miss", Signal.MISSES);
        all("juicefs_blockcache_hits", Signal.HITS);
        histogram("juicefs_blockcache_read_hist_seconds", Signal.CACHE_READ_SECONDS, Signal.CACHE_READS, null);
        histogram("juicefs_blockcache_write_hist_seconds", Signal.CACHE_WRITE_SECONDS, Signal.CACHE_WRITES, null);
        all("juicefs_blockcache_write_bytes", Signal.CACHE_WRITE_BYTES);
        all("juicefs_blockcache_drops", Signal.CACHE_DROPS);
        all("juicefs_blockcache_evicts", Signal.CACHE_EVICTS);
        all("juicefs_blockcache_bytes", Signal.CACHED_BYTES);
        all("juicefs_blockcache_blocks", Signal.CACHED_BLOCKS);
        all("juicefs_staging_write_bytes", Signal.STAGED_BYTES);
        all("juicefs_staging_blocks", Signal.STAGING_BLOCKS);
        all("juicefs_staging_block_bytes", Signal.STAGING_BYTES);
        all("juicefs_staging_block_delay_seconds", Signal.STAGING_DELAY);
        all("juicefs_staging_block_errors", Signal.STAGING_ERRORS);
        all("juicefs_staging_writing_blocks", Signal.STAGING_WRITING);
        String request = "juicefs_object_request_durations_histogram_seconds";
        where(request + "_sum", "method", Set.of("GET"), Signal.GET_SECONDS);
        where(request + "_count", "method", Set.of("GET"), Signal.GETS);
        where(request + "_bucket", "method", Set.of("GET"), Signal.GET_DURATION);
        where(request + "_sum", "method", Set.of("PUT"), Signal.PUT_SECONDS);
        where(request + "_count", "method", Set.of("PUT"), Signal.PUTS);
        where(request + "_count", "method", Set.of("DELETE"), Signal.DELETES);
        where("juicefs_object_request_data_bytes", "method", Set.of("GET"), Signal.GET_BYTES);
        where("juicefs_object_request_data_bytes", "method", Set.of("PUT"), Signal.PUT_BYTES);
        all("juicefs_object_request_errors", Signal.OBJECT_ERRORS);
        all("juicefs_object_request_uploading", Signal.UPLOAD_SLOTS);
        all("juicefs_used_buffer_size_bytes", Signal.BUFFER_BYTES);
        all("juicefs_used_read_buffer_size_bytes", Signal.READ_BUFFER_BYTES);
        all("juicefs_fuse_read_size_bytes_sum", Signal.FUSE_READ_BYTES);
        all("juicefs_fuse_written_size_bytes_sum", Signal.FUSE_WRITE_BYTES);
        all("juicefs_fuse_written_size_bytes_count", Signal.FUSE_WRITES);
        String fuse = "juicefs_fuse_ops_durations_histogram_seconds";
        histogram(fuse, Signal.FUSE_SECONDS, Signal.FUSE_OPS, Signal.FUSE_DURATION);
        where("juicefs_fuse_ops_durations_seconds", "method", Set.of("read"), Signal.READ_SECONDS);
        where("juicefs_fuse_ops_total", "method", Set.of("read"), Signal.READS);
        where(
                "juicefs_fuse_ops_durations_seconds",
                "method",
                Set.of("write", "flush", "fsync", "release"),
                Signal.WRITE_SECONDS);
        where("juicefs_fuse_ops_total", "method", Set.of("open"), Signal.OPENS);
        all("juicefs_fuse_open_handlers", Signal.OPEN_HANDLES);
        // The counter holds every non-zero errno, also harmless ones such as ENOENT.
        where(
                "juicefs_fuse_ops_io_errors",
                "errno",
                Set.of("EIO", "ENOSPC", "EDQUOT", "EROFS", "EMFILE", "ENOMEM", "ETIMEDOUT"),
                Signal.IO_ERRORS);
        histogram(
                "juicefs_meta_ops_durations_histogram_seconds",
                Signal.META_SECONDS,
                Signal.META_OPS,
                Signal.META_DURATION);
        where(
                "juicefs_meta_ops_total",
                "method",
                Set.of("GetAttr", "Lookup", "NewDirHandler", "Readdir"),
                Signal.META_LOOKS);
        histogram(
                "juicefs_transaction_durations_histogram_seconds",
                Signal.TXN_SECONDS,
                Signal.TXNS,
                Signal.TXN_DURATION);
        all("juicefs_transaction_restart", Signal.TXN_RESTARTS);
        all("juicefs_compact_size_histogram_bytes_count", Signal.COMPACTIONS);
        // Exposed as a gauge, though it only grows.
        all("juicefs_cpu_usage", Signal.CLIENT_CPU);
        all("juicefs_go_sched_gomaxprocs_threads", Signal.CLIENT_CPU_LIMIT);
        all("juicefs_memory", Signal.CLIENT_MEMORY);
        all("juicefs_uptime", Signal.UPTIME);
        all("juicefs_process_start_time_seconds", Signal.PROCESS_START);
        all("juicefs_used_space", Signal.USED_SPACE);
        all("juicefs_used_inodes", Signal.USED_INODES);
        all("juicefs_total_space", Signal.TOTAL_SPACE);
        all("juicefs_total_inodes", Signal.TOTAL_INODES);
        all("juicefs_process_open_fds", Signal.OPEN_FILES);
        all("juicefs_process_max_fds", Signal.MOST_OPEN_FILES);
    }

    private void node() {
        all("node_cpu_seconds_total", Signal.CPU_SECONDS);
        where("node_cpu_seconds_total", "mode", Set.of("idle", "iowait"), Signal.CPU_IDLE_SECONDS);
        where("node_cpu_seconds_total", "mode", Set.of("steal"), Signal.CPU_STEAL_SECONDS);
        all("node_memory_MemTotal_bytes", Signal.MEMORY_TOTAL);
        all("node_memory_MemAvailable_bytes", Signal.MEMORY_AVAILABLE);
        all("node_memory_Dirty_bytes", Signal.MEMORY_DIRTY);
        all("node_pressure_memory_waiting_seconds_total", Signal.MEMORY_PRESSURE);
        all("node_cpu_scaling_frequency_hertz", Signal.CPU_HERTZ);
        all("node_cpu_scaling_frequency_max_hertz", Signal.CPU_MOST_HERTZ);
        parts("node_cpu_scaling_governor", Signal.CPU_GOVERNOR, "governor");
        parts("node_disk_read_bytes_total", Signal.DISK_READ_BYTES, "device");
        parts("node_disk_written_bytes_total", Signal.DISK_WRITE_BYTES, "device");
        parts("node_disk_reads_completed_total", Signal.DISK_READS, "device");
        parts("node_disk_writes_completed_total", Signal.DISK_WRITES, "device");
        parts("node_disk_read_time_seconds_total", Signal.DISK_READ_SECONDS, "device");
        parts("node_disk_write_time_seconds_total", Signal.DISK_WRITE_SECONDS, "device");
        parts("node_disk_io_time_seconds_total", Signal.DISK_BUSY, "device");
        parts("node_disk_io_time_weighted_seconds_total", Signal.DISK_QUEUE, "device");
        parts("node_filesystem_avail_bytes", Signal.FS_AVAILABLE, "mountpoint");
        parts("node_filesystem_size_bytes", Signal.FS_SIZE, "mountpoint");
        parts("node_network_receive_bytes_total", Signal.NET_RECEIVED, "device");
        parts("node_network_transmit_bytes_total", Signal.NET_SENT, "device");
        parts("node_network_speed_bytes", Signal.NET_SPEED, "device");
        all("node_netstat_Tcp_OutSegs", Signal.TCP_SENT);
        all("node_netstat_Tcp_RetransSegs", Signal.TCP_RETRANSMITTED);
        all("node_time_seconds", Signal.HOST_TIME);
        all("node_timex_offset_seconds", Signal.CLOCK_OFFSET);
        mappings.put("node_uname_info", List.of());
    }

    private void accelerators() {
        // Blank values of DCGM are huge numbers, and real exporters have sent 4294967295 per cent.
        use("DCGM_FI_DEV_GPU_UTIL", Signal.ACCELERATOR_USE, 100, "gpu", "UUID");
        use("DCGM_FI_PROF_GR_ENGINE_ACTIVE", Signal.ACCELERATOR_ENGINE, 1, "gpu", "UUID");
        all("DCGM_FI_DEV_POWER_USAGE", Signal.ACCELERATOR_POWER, "gpu", "UUID");
        use("nvidia_smi_utilization_gpu_ratio", Signal.ACCELERATOR_USE, 1, "uuid");
        use("nvidia_gpu_duty_cycle", Signal.ACCELERATOR_USE, 100, "minor_number", "uuid");
        use("nvidia_utilization_gpu", Signal.ACCELERATOR_USE, 100, "gpu", "uuid");
        use("npu_chip_info_utilization", Signal.ACCELERATOR_USE, 100, "id", "npuID", "vdie_id");
        use("gpu_gfx_activity", Signal.ACCELERATOR_USE, 100, "gpu_id", "serial_number");
        use("amd_gpu_gfx_activity", Signal.ACCELERATOR_USE, 100, "gpu_id", "serial_number");
        use("habanalabs_utilization", Signal.ACCELERATOR_USE, 100, "device", "UUID");
        use("xpum_engine_group_ratio", Signal.ACCELERATOR_USE, 100, "dev_file", "uuid");
    }

    private void training() {
        all("training_samples_total", Signal.SAMPLES);
        all("training_data_wait_seconds_total", Signal.DATA_WAIT);
        all("training_dataloader_wait_seconds_total", Signal.DATA_WAIT);
        all("ray_data_iter_total_blocked_seconds", Signal.DATA_WAIT);
        all("training_epoch", Signal.EPOCH);
        where("training_phase", "phase", Set.of("eval", "evaluation", "validation"), Signal.PHASE_EVAL);
        where("training_phase", "phase", Set.of("checkpoint"), Signal.PHASE_CHECKPOINT);
    }

    private void histogram(String metric, Signal sum, Signal count, @Nullable Signal buckets) {
        all(metric + "_sum", sum);
        all(metric + "_count", count);
        if (buckets != null) {
            all(metric + "_bucket", buckets);
        }
    }

    private void all(String metric, Signal signal, String... partLabels) {
        add(metric, new Mapping(signal, null, Set.of(), List.of(partLabels), 1, -ANY, ANY));
    }

    private void where(String metric, String label, Set<String> values, Signal signal) {
        add(metric, new Mapping(signal, label, values, List.of(), 1, -ANY, ANY));
    }

    private void parts(String metric, Signal signal, String partLabel) {
        add(metric, new Mapping(signal, null, Set.of(), List.of(partLabel), 1, -ANY, ANY));
    }

    private void use(String metric, Signal signal, double full, String... partLabels) {
        add(metric, new Mapping(signal, null, Set.of(), List.of(partLabels), 1 / full, 0, full));
    }

    private void add(String metric, Mapping mapping) {
        mappings.computeIfAbsent(metric, name -> new ArrayList<>()).add(mapping);
    }

    private byte[][] table() {
        byte[][] table = new byte[Integer.highestOneBit(mappings.size()) * 4][];
        Arrays.fill(table, new byte[0]);
        for (String metric : mappings.keySet()) {
            byte[] name = metric.getBytes(UTF_8);
            int slot = hash(name, 0, name.length) & (table.length - 1);
            while (table[slot].length > 0) {
                slot = (slot + 1) & (table.length - 1);
            }
            table[slot] = name;
        }
        return table;
    }

    private static int hash(byte[] text, int from, int to) {
        int hash = to - from;
        for (int i = from; i < to; i++) {
            hash = 31 * hash + text[i];
        }
        return hash ^ (hash >>> 15);
    }
}
