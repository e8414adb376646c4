package dev.onset.sources.live;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.MILLISECONDS;

import dev.onset.signals.SourceKind;
import dev.onset.signals.Target;
import dev.onset.sources.Answer;
import dev.onset.sources.redis.DiscoveredClient;
import dev.onset.sources.redis.Metadata;
import dev.onset.sources.redis.RedisProbe;
import dev.onset.sources.scrape.ExporterTarget;
import dev.onset.sources.scrape.Scraper;
import dev.onset.sources.settings.ExporterSettings;
import dev.onset.sources.settings.GroupSettings;
import dev.onset.sources.settings.RedisSettings;
import dev.onset.sources.settings.SourceSettings;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Everything that is asked live, step by step. Answers are handed over as they come; when all of a step are in, or those
 * that are not have run out of time, the step is called complete. Both calls come from one thread, one after the other,
 * so the receiver needs no locks.
 */
public final class LiveSources implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LiveSources.class);
    private static final Duration LONGEST_QUESTION = Duration.ofSeconds(10);
    private static final long MOUNTS_EVERY_MILLIS = Duration.ofSeconds(15).toMillis();
    private static final long CLIENTS_EVERY_MILLIS = Duration.ofMinutes(1).toMillis();
    private static final long MANY_CLIENTS_EVERY_MILLIS = Duration.ofMinutes(10).toMillis();
    private static final int MANY_CLIENTS = 2000;
    /** With so many complete steps unprocessed no new one is begun: the receiver cannot keep up. */
    private static final int STEPS_BEHIND = 2;

    private final Clock clock;
    private final long stepMillis;
    private final Duration limit;
    private final Scraper scraper;
    private final List<Group> groups = new ArrayList<>();
    private final List<Found> discoveries = new ArrayList<>();
    private final LocalHost here = new LocalHost();
    private final MountConfigReader mounts = new MountConfigReader(here.name());
    /** The settings told last, by group and mount. */
    private final Map<String, String> configs = new ConcurrentHashMap<>();

    private final ScheduledExecutorService timer = Executors.newScheduledThreadPool(2, daemon("onset-timer"));
    private final ExecutorService threads = Executors.newCachedThreadPool(daemon("onset-source"));
    private final ExecutorService delivery = Executors.newSingleThreadExecutor(daemon("onset-step"));

    private final Map<Long, AtomicInteger> groupsOpen = new ConcurrentHashMap<>();
    private final AtomicInteger stepsBehind = new AtomicInteger();
    private final AtomicInteger waiting = new AtomicInteger();
    private Consumer<Answer> sink = answer -> {};
    private LongConsumer stepComplete = step -> {};
    private LongConsumer skewMillis = millis -> {};
    private volatile boolean closed;

    /** A database with JuiceFS metadata, and what was last read from it. */
    private static final class Found {
        final Group group;
        final RedisSettings redis;
        volatile Metadata latest = new Metadata("", "", List.of(), "");

        Found(Group group, RedisSettings redis) {
            this.group = group;
            this.redis = redis;
        }
    }

    /** Nothing is asked before {@link #start}. Without groups the usual ports of this machine are watched quietly. */
    public LiveSources(SourceSettings settings, Clock clock) {
        this.clock = clock;
        this.stepMillis = settings.step().toMillis();
        Duration share = settings.step().multipliedBy(2).dividedBy(3);
        this.limit = share.compareTo(LONGEST_QUESTION) < 0 ? share : LONGEST_QUESTION;
        this.scraper = new Scraper(limit, clock);
        boolean quiet = settings.groups().isEmpty();
        List<GroupSettings> configured = quiet ? List.of(GroupSettings.local()) : settings.groups();
        configured.forEach(group -> add(group, quiet));
    }

    /**
     * Begins with the next step.
     *
     * @param sink takes each answer
     * @param stepComplete takes the number of a step, epoch milliseconds of its start divided by its length, once its
     *     answers are in; an answer that comes later still reaches the sink
     * @param skewMillis takes how far apart the questions of a group started, for each group and step
     */
    public void start(Consumer<Answer> sink, LongConsumer stepComplete, LongConsumer skewMillis) {
        this.sink = sink;
        this.stepComplete = stepComplete;
        this.skewMillis = skewMillis;
        groups.forEach(group -> group.all().forEach(Asked::startPings));
        discoveries.forEach(this::discover);
        inBackground(this::readMounts);
        long next = Math.floorDiv(clock.millis(), stepMillis) + 1;
        at(next * stepMillis, () -> begin(next));
    }

    /** Every target with its state; quiet ones only once they have answered. */
    public List<TargetState> targets() {
        return groups.stream()
                .flatMap(group -> group.all().stream())
                .filter(asked -> !asked.silent())
                .map(Asked::state)
                .toList();
    }

    /** Answers that are in and not taken yet: more than a few for long means that the receiver cannot keep up. */
    public int waiting() {
        return waiting.get();
    }

    /** The JuiceFS clients that the metadata of the discovered volumes names. */
    public List<DiscoveredClient> clients() {
        return discoveries.stream()
                .flatMap(found -> found.latest.clients().stream())
                .toList();
    }

    /** What cannot be seen and why: databases that cannot be read, mounts that hang. */
    public List<String> notes() {
        List<String> notes = new ArrayList<>(mounts.notes());
        discoveries.stream()
                .map(found -> found.latest.note())
                .filter(note -> !note.isEmpty())
                .forEach(notes::add);
        return notes;
    }

    /** How far apart the questions of one instant start, 99th percentile by group; without those never measured. */
    public Map<String, Double> skewsP99Millis() {
        Map<String, Double> skews = new LinkedHashMap<>();
        for (Group group : groups) {
            double skew = group.skew.quantile(0.99);
            if (!Double.isNaN(skew)) {
                skews.put(group.job, skew);
            }
        }
        return skews;
    }

    @Override
    public void close() {
        closed = true;
        timer.shutdownNow();
        groups.forEach(group -> group.all().forEach(Asked::close));
        scraper.close();
        threads.shutdownNow();
        delivery.shutdownNow();
    }

    private void add(GroupSettings settings, boolean quiet) {
        List<Asked> asked = new ArrayList<>();
        Map<SourceKind, List<ExporterSettings>> exporters = Map.of(
                SourceKind.JUICEFS, settings.juicefs(),
                SourceKind.NODE, settings.node(),
                SourceKind.ACCELERATOR, settings.accelerator(),
                SourceKind.TRAINER, settings.training());
        exporters.forEach((kind, each) -> each.stream()
                .map(exporter -> ExporterTarget.of(kind, settings.job(), exporter))
                .forEach(target -> asked.add(new AskedExporter(target, scraper, false, quiet))));
        for (RedisSettings redis : settings.redis()) {
            RedisProbe probe = new RedisProbe(settings.job(), redis, limit, clock, timer);
            asked.add(new AskedRedis(probe, limit, clock, threads, quiet));
        }
        Group group = new Group(settings.job(), stepMillis, asked);
        groups.add(group);
        settings.redis().stream()
                .filter(RedisSettings::discover)
                .forEach(redis -> discoveries.add(new Found(group, redis)));
    }

    private void begin(long step) {
        long now = clock.millis();
        long next = step + 1;
        if (Math.abs(now - step * stepMillis) > stepMillis) {
            // The machine slept or its clock was set: go on from where the clock is now.
            next = Math.floorDiv(now, stepMillis) + 1;
        }
        long following = next;
        at(next * stepMillis, () -> begin(following));
        if (stepsBehind.get() >= STEPS_BEHIND) {
            LOG.warn("step {} is left out: the last ones are not judged yet", step);
            return;
        }
        groupsOpen.put(step, new AtomicInteger(groups.size()));
        for (Group group : groups) {
            long instant = step * stepMillis + group.offsetMillis;
            at(instant, () -> ask(group, step, instant));
        }
    }

    private void ask(Group group, long step, long instantMillis) {
        List<CompletableFuture<Void>> waited = new ArrayList<>();
        List<Long> starts = new ArrayList<>();
        for (Asked asked : group.all()) {
            boolean waitedFor = asked.waitedFor();
            CompletableFuture<Void> delivered = asked.ask().thenAccept(answers -> {
                asked.note(answers, instantMillis);
                boolean silent = asked.silent();
                answers.forEach(answer -> hand(answer, silent));
                note(starts, answers);
            });
            if (waitedFor) {
                waited.add(delivered);
            }
        }
        CompletableFuture<?> all = CompletableFuture.allOf(waited.toArray(CompletableFuture[]::new));
        CompletableFuture<?> unused = all.whenComplete((done, fault) -> {
            if (fault != null) {
                LOG.error("step {} of {}", step, group.job, fault);
            }
            group.dropSilent();
            measureSkew(group, starts);
            groupComplete(step);
        });
    }

    private static void note(List<Long> starts, List<Answer> answers) {
        synchronized (starts) {
            answers.stream()
                    .filter(answer -> answer.kind() == Answer.Kind.METRICS || answer.kind() == Answer.Kind.INFO)
                    .forEach(answer -> starts.add(answer.atMillis()));
        }
    }

    /** The first step is left out: it also loads classes. Its samples carry their true times like all others. */
    private void measureSkew(Group group, List<Long> starts) {
        synchronized (starts) {
            long first = starts.stream().mapToLong(Long::longValue).min().orElse(0);
            long last = starts.stream().mapToLong(Long::longValue).max().orElse(0);
            if (group.begun) {
                group.skew.add((double) (last - first));
                skewMillis.accept(last - first);
            }
            group.begun = true;
        }
    }

    private void groupComplete(long step) {
        AtomicInteger open = groupsOpen.get(step);
        if (open != null && open.decrementAndGet() == 0) {
            groupsOpen.remove(step);
            stepsBehind.incrementAndGet();
            deliver(() -> {
                try {
                    stepComplete.accept(step);
                } finally {
                    stepsBehind.decrementAndGet();
                }
            });
        }
    }

    private void discover(Found found) {
        inBackground(() -> {
            Metadata read = Metadata.read(found.group.job, found.redis, limit, clock, timer);
            if (!read.note().equals(found.latest.note())) {
                LOG.info(
                        "JuiceFS clients: {}",
                        read.note().isEmpty() ? read.clients().size() + " found" : read.note());
            }
            // A database that cannot be read for a moment does not make its clients disappear.
            boolean keeps = !read.note().isEmpty() && read.volume().isEmpty();
            found.latest = keeps
                    ? new Metadata(found.latest.volume(), found.latest.storage(), found.latest.clients(), read.note())
                    : read;
            found.group.discovered(clientsOf(found.group), scraper, here);
            boolean many = found.latest.clients().size() > MANY_CLIENTS;
            at(clock.millis() + (many ? MANY_CLIENTS_EVERY_MILLIS : CLIENTS_EVERY_MILLIS), () -> discover(found));
        });
    }

    private List<DiscoveredClient> clientsOf(Group group) {
        return discoveries.stream()
                .filter(found -> found.group == group)
                .map(found -> found.latest.clients())
                .flatMap(Collection::stream)
                .toList();
    }

    /** Tells the settings of this machine's mounts when they are new: at first sight, and after a restart. */
    private void readMounts() {
        for (MountConfigReader.MountConfig config : mounts.read()) {
            for (Target target : targetsOf(config.port())) {
                String known = configs.put(target.group() + " " + config.mountPoint(), config.json());
                if (!config.json().equals(known)) {
                    byte[] body = config.json().getBytes(UTF_8);
                    Answer answer = Answer.of(target, Answer.Kind.MOUNT_CONFIG, clock.millis(), 0, body);
                    deliver(() -> sink.accept(answer));
                }
            }
        }
        at(clock.millis() + MOUNTS_EVERY_MILLIS, () -> inBackground(this::readMounts));
    }

    /** The targets, one per group, that are this mount: by its metrics port, or because there is only one. */
    private List<Target> targetsOf(int port) {
        List<Target> found = new ArrayList<>();
        for (Group group : groups) {
            List<Target> local = group.local(here);
            local.stream()
                    .filter(target -> target.address().matches(".*:" + port + "(/.*)?"))
                    .findFirst()
                    .or(() -> local.size() == 1 && port == 0 ? local.stream().findFirst() : Optional.empty())
                    .ifPresent(found::add);
        }
        return found;
    }

    private void hand(Answer answer, boolean silent) {
        if (silent) {
            scraper.release(answer);
            return;
        }
        deliver(() -> {
            try {
                sink.accept(answer);
            } finally {
                scraper.release(answer);
            }
        });
    }

    private void deliver(Runnable task) {
        try {
            waiting.incrementAndGet();
            delivery.execute(() -> {
                waiting.decrementAndGet();
                guarded(task);
            });
        } catch (RejectedExecutionException e) {
            // Closing: nobody listens any more.
        }
    }

    private void inBackground(Runnable task) {
        try {
            threads.execute(() -> guarded(task));
        } catch (RejectedExecutionException e) {
            // Closing.
        }
    }

    private void at(long millis, Runnable task) {
        try {
            long delay = Math.max(0, millis - clock.millis());
            ScheduledFuture<?> unused = timer.schedule(() -> guarded(task), delay, MILLISECONDS);
        } catch (RejectedExecutionException e) {
            // Closing.
        }
    }

    /** A fault costs what it hit and is told; the steps go on. */
    private void guarded(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException e) {
            if (!closed) {
                LOG.error("fault in a source or in what takes its answers", e);
            }
        }
    }

    private static ThreadFactory daemon(String name) {
        return task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        };
    }
}
