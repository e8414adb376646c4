package dev.onset.signals;

import static dev.onset.signals.ScopeKind.HOST;
import static dev.onset.signals.ScopeKind.JOB;
import static dev.onset.signals.ScopeKind.MOUNT;
import static dev.onset.signals.ScopeKind.REDIS;
import static dev.onset.signals.ScopeKind.TARGET;

/**
 * Everything that is measured, whatever exporter and version it came from. A counter's column on the timeline holds its
 * rate per second, a gauge's column the value, a histogram's column the increments of its buckets; derived signals are
 * computed from other columns of the same step.
 */
public enum Signal {
    // JuiceFS client
    MISS_BYTES("miss_bps", Kind.COUNTER, Unit.BYTES_PER_SECOND, MOUNT),
    HIT_BYTES("hit_bps", Kind.COUNTER, Unit.BYTES_PER_SECOND, MOUNT),
    MISSES("miss_ops", Kind.COUNTER, Unit.PER_SECOND, MOUNT),
    HITS("hit_ops", Kind.COUNTER, Unit.PER_SECOND, MOUNT),
    CACHE_READ_SECONDS("cache_read_seconds", Kind.COUNTER, Unit.IN_FLIGHT, MOUNT),
    CACHE_READS("cache_reads", Kind.COUNTER, Unit.PER_SECOND, MOUNT),
    CACHE_WRITE_SECONDS("cache_write_seconds", Kind.COUNTER, Unit.IN_FLIGHT, MOUNT),
    CACHE_WRITES("cache_writes", Kind.COUNTER, Unit.PER_SECOND, MOUNT),
    CACHE_WRITE_BYTES("cache_write_bps", Kind.COUNTER, Unit.BYTES_PER_SECOND, MOUNT),
    CACHE_DROPS("drops", Kind.COUNTER, Unit.PER_SECOND, MOUNT),
    CACHE_EVICTS("evict", Kind.COUNTER, Unit.PER_SECOND, MOUNT),
    CACHED_BYTES("cached_bytes", Kind.GAUGE, Unit.BYTES, MOUNT),
    CACHED_BLOCKS("cached_blocks", Kind.GAUGE, Unit.COUNT, MOUNT),
    STAGED_BYTES("stage_w", Kind.COUNTER, Unit.BYTES_PER_SECOND, MOUNT),
    STAGING_BLOCKS("staging_blocks", Kind.GAUGE, Unit.COUNT, MOUNT),
    STAGING_BYTES("staging_block_bytes", Kind.GAUGE, Unit.BYTES, MOUNT),
    STAGING_DELAY("staging_delay", Kind.COUNTER, Unit.IN_FLIGHT, MOUNT),
    STAGING_ERRORS("staging_block_errors", Kind.COUNTER, Unit.PER_SECOND, MOUNT),
    STAGING_WRITING("staging_writing_blocks", Kind.GAUGE, Unit.COUNT, MOUNT),
    GET_SECONDS("inflight_get", Kind.COUNTER, Unit.IN_FLIGHT, MOUNT),
    GETS("get_ops", Kind.COUNTER, Unit.PER_SECOND, MOUNT),
    GET_BYTES("get_bps", Kind.COUNTER, Unit.BYTES_PER_SECOND, MOUNT),
    GET_DURATION("get_duration", Kind.HISTOGRAM, Unit.SECONDS, MOUNT),
    PUT_SECONDS("inflight_put", Kind.COUNTER, Unit.IN_FLIGHT, MOUNT),
    PUTS("put_ops", Kind.COUNTER, Unit.PER_SECOND, MOUNT),
    PUT_BYTES("put_bps", Kind.COUNTER, Unit.BYTES_PER_SECOND, MOUNT),
    DELETES("delete_ops", Kind.COUNTER, Unit.PER_SECOND, MOUNT),
    OBJECT_ERRORS("object_errors", Kind.COUNTER, Unit.PER_SECOND, MOUNT),
    UPLOAD_SLOTS("slots_put", Kind.GAUGE, Unit.COUNT, MOUNT),
    BUFFER_BYTES("buf", Kind.GAUGE, Unit.BYTES, MOUNT),
    READ_BUFFER_BYTES("rbuf", Kind.GAUGE, Unit.BYTES, MOUNT),
    FUSE_READ_BYTES("fuse_r", Kind.COUNTER, Unit.BYTES_PER_SECOND, MOUNT),
    FUSE_WRITE_BYTES("fuse_w", Kind.COUNTER, Unit.BYTES_PER_SECOND, MOUNT),
    FUSE_WRITES("fuse_w_ops", Kind.COUNTER, Unit.PER_SECOND, MOUNT),
    /** All FUSE operations together: the time that applications wait inside the mount. */
    FUSE_SECONDS("inflight_fuse", Kind.COUNTER, Unit.IN_FLIGHT, MOUNT),
    FUSE_OPS("fuse_ops", Kind.COUNTER, Unit.PER_SECOND, MOUNT),
    FUSE_DURATION("fuse_duration", Kind.HISTOGRAM, Unit.SECONDS, MOUNT),
    READ_SECONDS("inflight_read", Kind.COUNTER, Unit.IN_FLIGHT, MOUNT),
    READS("read_ops", Kind.COUNTER, Unit.PER_SECOND, MOUNT),
    /** write, flush, fsync and release: where a saving trainer waits. */
    WRITE_SECONDS("inflight_write", Kind.COUNTER, Unit.IN_FLIGHT, MOUNT),
    OPENS("opens", Kind.COUNTER, Unit.PER_SECOND, MOUNT),
    OPEN_HANDLES("open_handlers", Kind.GAUGE, Unit.COUNT, MOUNT),
    IO_ERRORS("io_errors", Kind.COUNTER, Unit.PER_SECOND, MOUNT),
    META_SECONDS("inflight_meta", Kind.COUNTER, Unit.IN_FLIGHT, MOUNT),
    META_OPS("meta_ops", Kind.COUNTER, Unit.PER_SECOND, MOUNT),
    META_DURATION("meta_duration", Kind.HISTOGRAM, Unit.SECONDS, MOUNT),
    /** Calls that only look: attributes, names and lists of entries, which the kernel can keep. */
    META_LOOKS("meta_looks", Kind.COUNTER, Unit.PER_SECOND, MOUNT),
    TXN_SECONDS("inflight_txn", Kind.COUNTER, Unit.IN_FLIGHT, MOUNT),
    TXNS("txn_ops", Kind.COUNTER, Unit.PER_SECOND, MOUNT),
    TXN_DURATION("txn_duration", Kind.HISTOGRAM, Unit.SECONDS, MOUNT),
    TXN_RESTARTS("txn_restart", Kind.COUNTER, Unit.PER_SECOND, MOUNT),
    COMPACTIONS("compactions", Kind.COUNTER, Unit.PER_SECOND, MOUNT),
    CLIENT_CPU("cpu_cores", Kind.COUNTER, Unit.IN_FLIGHT, MOUNT),
    CLIENT_CPU_LIMIT("cpu_limit", Kind.GAUGE, Unit.COUNT, MOUNT),
    CLIENT_MEMORY("memory", Kind.GAUGE, Unit.BYTES, MOUNT),
    UPTIME("uptime", Kind.GAUGE, Unit.SECONDS, MOUNT),
    PROCESS_START("process_start", Kind.GAUGE, Unit.SECONDS, MOUNT),
    USED_SPACE("used_space", Kind.GAUGE, Unit.BYTES, MOUNT),
    USED_INODES("used_inodes", Kind.GAUGE, Unit.COUNT, MOUNT),
    TOTAL_SPACE("total_space", Kind.GAUGE, Unit.BYTES, MOUNT),
    TOTAL_INODES("total_inodes", Kind.GAUGE, Unit.COUNT, MOUNT),
    OPEN_FILES("open_fds", Kind.GAUGE, Unit.COUNT, MOUNT),
    MOST_OPEN_FILES("max_fds", Kind.GAUGE, Unit.COUNT, MOUNT),
    // derived, per mount
    MISS_RATIO("miss_ratio", Kind.DERIVED, Unit.RATIO, MOUNT),
    READ_COST("read_cost", Kind.DERIVED, Unit.SECONDS_PER_GIGABYTE, MOUNT),
    READ_LATENCY("read_lat", Kind.DERIVED, Unit.SECONDS, MOUNT),
    GET_LATENCY("get_lat", Kind.DERIVED, Unit.SECONDS, MOUNT),
    PUT_LATENCY("put_lat", Kind.DERIVED, Unit.SECONDS, MOUNT),
    META_LATENCY("meta_lat", Kind.DERIVED, Unit.SECONDS, MOUNT),
    TXN_LATENCY("txn_lat", Kind.DERIVED, Unit.SECONDS, MOUNT),
    CACHE_READ_LATENCY("cache_rlat", Kind.DERIVED, Unit.SECONDS, MOUNT),
    CACHE_WRITE_LATENCY("cache_wlat", Kind.DERIVED, Unit.SECONDS, MOUNT),
    CACHE_FILL("fill_w", Kind.DERIVED, Unit.BYTES_PER_SECOND, MOUNT),
    READ_AMPLIFICATION("amp", Kind.DERIVED, Unit.RATIO, MOUNT),

    // host; a part is a disk, a file system or an interface
    CPU_SECONDS("cpu_seconds", Kind.COUNTER, Unit.IN_FLIGHT, HOST),
    CPU_IDLE_SECONDS("cpu_idle_seconds", Kind.COUNTER, Unit.IN_FLIGHT, HOST),
    CPU_STEAL_SECONDS("cpu_steal_seconds", Kind.COUNTER, Unit.IN_FLIGHT, HOST),
    CPU_BUSY("cpu_busy", Kind.DERIVED, Unit.RATIO, HOST),
    MEMORY_TOTAL("mem_total", Kind.GAUGE, Unit.BYTES, HOST),
    MEMORY_AVAILABLE("mem_available", Kind.GAUGE, Unit.BYTES, HOST),
    /** Share of the time in which something waited for memory. */
    MEMORY_PRESSURE("mem_pressure", Kind.COUNTER, Unit.RATIO, HOST),
    /** Of all cores together: compared with the largest they could have. */
    CPU_HERTZ("cpu_hertz", Kind.GAUGE, Unit.PER_SECOND, HOST),
    CPU_MOST_HERTZ("cpu_hertz_max", Kind.GAUGE, Unit.PER_SECOND, HOST),
    /** Cores under a governor, by its name. */
    CPU_GOVERNOR("cpu_governor", Kind.GAUGE, Unit.COUNT, HOST),
    MEMORY_DIRTY("mem_dirty", Kind.GAUGE, Unit.BYTES, HOST),
    DISK_READ_BYTES("dev_rbps", Kind.COUNTER, Unit.BYTES_PER_SECOND, HOST),
    DISK_WRITE_BYTES("dev_wbps", Kind.COUNTER, Unit.BYTES_PER_SECOND, HOST),
    DISK_READS("dev_reads", Kind.COUNTER, Unit.PER_SECOND, HOST),
    DISK_WRITES("dev_writes", Kind.COUNTER, Unit.PER_SECOND, HOST),
    DISK_READ_SECONDS("dev_read_seconds", Kind.COUNTER, Unit.IN_FLIGHT, HOST),
    DISK_WRITE_SECONDS("dev_write_seconds", Kind.COUNTER, Unit.IN_FLIGHT, HOST),
    DISK_BUSY("dev_busy", Kind.COUNTER, Unit.RATIO, HOST),
    DISK_QUEUE("dev_q", Kind.COUNTER, Unit.IN_FLIGHT, HOST),
    DISK_READ_LATENCY("dev_rlat", Kind.DERIVED, Unit.SECONDS, HOST),
    DISK_WRITE_LATENCY("dev_wlat", Kind.DERIVED, Unit.SECONDS, HOST),
    FS_AVAILABLE("fs_avail", Kind.GAUGE, Unit.BYTES, HOST),
    FS_SIZE("fs_size", Kind.GAUGE, Unit.BYTES, HOST),
    NET_RECEIVED("net_rx", Kind.COUNTER, Unit.BYTES_PER_SECOND, HOST),
    NET_SENT("net_tx", Kind.COUNTER, Unit.BYTES_PER_SECOND, HOST),
    NET_SPEED("net_speed", Kind.GAUGE, Unit.BYTES_PER_SECOND, HOST),
    TCP_SENT("tcp_segments", Kind.COUNTER, Unit.PER_SECOND, HOST),
    TCP_RETRANSMITTED("tcp_retransmitted", Kind.COUNTER, Unit.PER_SECOND, HOST),
    HOST_TIME("node_time", Kind.GAUGE, Unit.SECONDS, HOST),
    CLOCK_OFFSET("clock_offset", Kind.GAUGE, Unit.SECONDS, HOST),

    // the job: a part is an accelerator ("gpu-07/0")
    ACCELERATOR_USE("accelerator_use", Kind.GAUGE, Unit.RATIO, JOB),
    /** "Pipe active" of profiling counters: never mixed with busy time in one baseline. */
    ACCELERATOR_ENGINE("accelerator_engine", Kind.GAUGE, Unit.RATIO, JOB),
    ACCELERATOR_POWER("accelerator_power", Kind.GAUGE, Unit.COUNT, JOB),
    UTILISATION("util", Kind.DERIVED, Unit.RATIO, JOB),
    UTILISATION_MIN("util_min", Kind.DERIVED, Unit.RATIO, JOB),
    SAMPLES("thr", Kind.COUNTER, Unit.PER_SECOND, JOB),
    DATA_WAIT("data_wait", Kind.COUNTER, Unit.IN_FLIGHT, JOB),
    EPOCH("epoch", Kind.GAUGE, Unit.COUNT, JOB),
    /** 1 while the training loop says it evaluates. */
    PHASE_EVAL("phase_eval", Kind.GAUGE, Unit.COUNT, JOB),
    PHASE_CHECKPOINT("phase_checkpoint", Kind.GAUGE, Unit.COUNT, JOB),

    // Redis
    RTT_MAX("rtt_max", Kind.DERIVED, Unit.SECONDS, REDIS),
    RTT_MEDIAN("rtt_p50", Kind.DERIVED, Unit.SECONDS, REDIS),
    RTT_LOST("rtt_lost", Kind.DERIVED, Unit.COUNT, REDIS),
    EXPIRED_KEYS("expired_keys", Kind.COUNTER, Unit.PER_SECOND, REDIS),
    EXPIRE_CAPPED("expired_time_cap_reached_count", Kind.COUNTER, Unit.PER_SECOND, REDIS),
    EXPIRE_CPU("expire_cycle_cpu", Kind.COUNTER, Unit.IN_FLIGHT, REDIS),
    KEYS_WITH_TTL("expires", Kind.GAUGE, Unit.COUNT, REDIS),
    KEYS("keys", Kind.GAUGE, Unit.COUNT, REDIS),
    EVICTED_KEYS("evicted_keys", Kind.COUNTER, Unit.PER_SECOND, REDIS),
    REDIS_OPS("redis_ops", Kind.COUNTER, Unit.PER_SECOND, REDIS),
    REDIS_CPU("redis_cpu", Kind.COUNTER, Unit.IN_FLIGHT, REDIS),
    REDIS_MEMORY("used_memory", Kind.GAUGE, Unit.BYTES, REDIS),
    REDIS_MAX_MEMORY("maxmemory", Kind.GAUGE, Unit.BYTES, REDIS),
    REDIS_CLIENTS("connected_clients", Kind.GAUGE, Unit.COUNT, REDIS),
    REDIS_REJECTED("rejected_connections", Kind.COUNTER, Unit.PER_SECOND, REDIS),
    AOF_ENABLED("aof_enabled", Kind.GAUGE, Unit.COUNT, REDIS),
    RDB_LAST_SAVE("rdb_last_save_time", Kind.GAUGE, Unit.SECONDS, REDIS),
    RDB_CHANGES("rdb_changes_since_last_save", Kind.GAUGE, Unit.COUNT, REDIS),
    RDB_SAVING("rdb_bgsave_in_progress", Kind.GAUGE, Unit.COUNT, REDIS),
    LAST_FORK("latest_fork", Kind.GAUGE, Unit.SECONDS, REDIS),
    AOF_DELAYED("aof_delayed_fsync", Kind.COUNTER, Unit.PER_SECOND, REDIS),
    REDIS_UPTIME("redis_uptime", Kind.GAUGE, Unit.SECONDS, REDIS),
    REDIS_SLAVES("connected_slaves", Kind.GAUGE, Unit.COUNT, REDIS),
    /** Time in one command, by its name. */
    COMMAND_SECONDS("command_seconds", Kind.COUNTER, Unit.IN_FLIGHT, REDIS),
    COMMAND_CALLS("command_calls", Kind.COUNTER, Unit.PER_SECOND, REDIS),
    /** Redis' clock minus ours. */
    REDIS_CLOCK("redis_clock_offset", Kind.GAUGE, Unit.SECONDS, REDIS),

    // the watching itself
    SCRAPE_SECONDS("scrape_duration", Kind.GAUGE, Unit.SECONDS, TARGET),
    SCRAPE_BYTES("scrape_bytes", Kind.GAUGE, Unit.BYTES, TARGET),
    ANSWERED("up", Kind.GAUGE, Unit.COUNT, TARGET);

    /** How a column is filled. */
    public enum Kind {
        COUNTER,
        GAUGE,
        HISTOGRAM,
        DERIVED
    }

    private final String id;
    private final Kind kind;
    private final Unit unit;
    private final ScopeKind scope;

    Signal(String id, Kind kind, Unit unit, ScopeKind scope) {
        this.id = id;
        this.kind = kind;
        this.unit = unit;
        this.scope = scope;
    }

    /** The name used in the rule catalogue, the API and {@code /metrics}. */
    public String id() {
        return id;
    }

    public Kind kind() {
        return kind;
    }

    public Unit unit() {
        return unit;
    }

    public ScopeKind scope() {
        return scope;
    }
}
