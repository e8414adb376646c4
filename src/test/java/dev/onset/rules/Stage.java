package dev.onset.rules;

import dev.onset.signals.Gap;
import dev.onset.signals.Identity;
import dev.onset.signals.Moment;
import dev.onset.signals.Sample;
import dev.onset.signals.Scope;
import dev.onset.signals.ScopeKind;
import dev.onset.signals.Scrape;
import dev.onset.signals.Signal;
import dev.onset.signals.SourceKind;
import dev.onset.signals.Target;
import dev.onset.signals.Text;
import dev.onset.timeline.TimeAxis;
import dev.onset.timeline.Timeline;
import dev.onset.timeline.Window;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Plays a trace: one mount, its host, its job and its Redis, asked a second after each step begins. Counters are added up
 * so that the timeline's columns come out as the trace states them.
 */
final class Stage {
    private static final long START = 1_796_000_400_000L;
    private static final long ASKED_AFTER_MILLIS = 1_000;
    private static final String GROUP = "vision";
    static final Scope MOUNT = Scope.mount(GROUP, "imagenet", "gpu-01", "/mnt/jfs");
    static final Scope REDIS = Scope.redis(GROUP, "meta-a:6379");
    static final Scope JOB = Scope.job(GROUP);

    private final Trace trace;
    private final Scope host;
    private final TimeAxis axis;
    private final Timeline timeline;
    private final Map<SourceKind, Target> targets = new EnumMap<>(SourceKind.class);
    private final Map<Trace.Line, Double> raw = new HashMap<>();
    private final Map<Trace.Line, Integer> fed = new HashMap<>();

    Stage(Trace trace) {
        this.trace = trace;
        host = Scope.host(GROUP, trace.host);
        axis = new TimeAxis(trace.stepMillis);
        timeline = Timeline.of(axis, 1);
        for (Trace.Line line : trace.lines) {
            SourceKind source = source(line.signal());
            targets.putIfAbsent(source, new Target(source, GROUP, address(source), null));
        }
        if (trace.pings.length > 0) {
            targets.putIfAbsent(SourceKind.REDIS, new Target(SourceKind.REDIS, GROUP, address(SourceKind.REDIS), null));
        }
        // A counter needs a sample before its first rate.
        play(-1);
    }

    /** One verdict for each step. */
    List<Verdict> verdicts(Rule rule) {
        List<Verdict> verdicts = new ArrayList<>();
        for (int step = 0; step < trace.steps(); step++) {
            play(step);
            verdicts.add(RuleBook.judge(rule, timeline.window(scope(rule))));
        }
        return verdicts;
    }

    /** What a rule says at the end about an earlier step. */
    Verdict later(Rule rule, int step) {
        return RuleBook.judge(
                rule, Objects.requireNonNull(timeline.windowAt(scope(rule), axis.step(START) + step), "window"));
    }

    /** What a rule about this scope sees at the end. */
    Window window(Scope scope) {
        for (int step = 0; step < trace.steps(); step++) {
            play(step);
        }
        return timeline.window(scope);
    }

    private Scope scope(Rule rule) {
        return switch (rule.card().scope()) {
            case MOUNT -> MOUNT;
            case HOST -> host;
            case REDIS -> REDIS;
            case JOB -> JOB;
            case TARGET -> Scope.target(target(asked()));
        };
    }

    /** The target that a rule about targets is asked about. */
    private SourceKind asked() {
        return trace.about == null ? SourceKind.JUICEFS : trace.about;
    }

    /** Also one that the trace says nothing of: it was never asked. */
    private Target target(SourceKind source) {
        return targets.getOrDefault(source, new Target(source, GROUP, address(source), null));
    }

    private void play(int step) {
        long at = axis.startMillis(axis.step(START) + step) + ASKED_AFTER_MILLIS;
        for (Target target : targets.values()) {
            if (trace.down(target.kind(), step)) {
                Gap reason = trace.downs.stream()
                        .filter(down -> down.source() == target.kind() && step >= down.from() && step <= down.to())
                        .findFirst()
                        .orElseThrow()
                        .reason();
                timeline.accept(new Scrape.Missed(target, true, at, reason, Text.same("no answer")));
            } else {
                timeline.accept(answer(target, step, at));
            }
        }
        timeline.close(axis.step(START) + step);
    }

    private Scrape answer(Target target, int step, long at) {
        List<Sample> samples = new ArrayList<>();
        for (Trace.Line line : trace.lines) {
            if (source(line.signal()) == target.kind()) {
                sample(line, step, samples);
            }
        }
        boolean redis = target.kind() == SourceKind.REDIS;
        List<Moment> moments = redis ? moments(at) : List.of();
        return new Scrape.Scraped(
                target, true, at, identity(target.kind()), samples, List.of(), moments, facts(target), List.of());
    }

    private void sample(Trace.Line line, int step, List<Sample> samples) {
        double value = step < 0 ? Double.NaN : step < line.values().length ? line.values()[step] : Double.NaN;
        if (line.signal().kind() == Signal.Kind.COUNTER) {
            if (step < 0) {
                value = 0;
            } else if (!Double.isNaN(value)) {
                // A rate reaches back to the sample before: what was left out belongs to it.
                int steps = step - fed.getOrDefault(line, -1);
                value = raw.getOrDefault(line, 0.0) + value * steps * axis.stepMillis() / 1e3;
            }
            if (!Double.isNaN(value)) {
                raw.put(line, value);
                fed.put(line, step);
            }
        }
        if (!Double.isNaN(value)) {
            samples.add(new Sample(about(line.signal()), line.signal(), part(line), value));
        }
    }

    private List<Moment> moments(long until) {
        List<Moment> moments = new ArrayList<>();
        for (int step = 0; step < trace.pings.length; step++) {
            for (int n = 0; n < 4 && !Double.isNaN(trace.pings[step]); n++) {
                // Asked between the scrape before and this one: they belong to this step.
                long at = axis.startMillis(axis.step(START) + step)
                        + ASKED_AFTER_MILLIS
                        - axis.stepMillis() * (3 - n) / 4;
                if (at <= until && at > until - axis.stepMillis()) {
                    moments.add(moment(Moment.Kind.PING, "", at, 0, trace.pings[step]));
                }
            }
        }
        for (Trace.At told : trace.moments) {
            long at = START + Math.round(told.seconds() * 1e3);
            if (at <= until) {
                long precision = told.kind() == Moment.Kind.PING ? 0 : 500;
                moments.add(moment(told.kind(), told.name(), at, precision, told.lasted()));
            }
        }
        return moments;
    }

    private Moment moment(Moment.Kind kind, String name, long at, long precision, double seconds) {
        String id = kind == Moment.Kind.PING && precision == 0 ? name + at + "/" + seconds : name + at;
        return new Moment(REDIS, kind, name, at, precision, seconds, id);
    }

    private Map<String, String> facts(Target target) {
        String scope =
                switch (target.kind()) {
                    case JUICEFS -> "mount";
                    case NODE -> "host";
                    case REDIS -> "redis";
                    case ACCELERATOR, TRAINER -> "job";
                };
        return trace.facts.getOrDefault(scope, Map.of());
    }

    private Identity identity(SourceKind source) {
        String version = trace.versions.get(source);
        return switch (source) {
            case JUICEFS -> new Identity(MOUNT, "gpu-01", "imagenet", "/mnt/jfs", version);
            case NODE -> new Identity(host, trace.host, null, null, null);
            case REDIS -> new Identity(REDIS, "meta-a", null, null, version);
            case ACCELERATOR, TRAINER -> new Identity(JOB, "gpu-01", null, null, null);
        };
    }

    private Scope about(Signal signal) {
        return switch (signal.scope()) {
            case MOUNT -> MOUNT;
            case HOST -> host;
            case REDIS -> REDIS;
            case JOB -> JOB;
            case TARGET -> Scope.target(target(asked()));
        };
    }

    private SourceKind source(Signal signal) {
        if (signal.scope() == ScopeKind.JOB) {
            return signal == Signal.ACCELERATOR_USE || signal == Signal.ACCELERATOR_ENGINE
                    ? SourceKind.ACCELERATOR
                    : SourceKind.TRAINER;
        }
        return switch (signal.scope()) {
            case MOUNT -> SourceKind.JUICEFS;
            case HOST -> SourceKind.NODE;
            case REDIS -> SourceKind.REDIS;
            case TARGET -> asked();
            case JOB -> throw new IllegalArgumentException(signal + " cannot be stated");
        };
    }

    private static String part(Trace.Line line) {
        return line.part().isEmpty() && line.signal().scope() == ScopeKind.JOB ? "gpu-01/0" : line.part();
    }

    private static String address(SourceKind source) {
        return switch (source) {
            case JUICEFS -> "gpu-01:9567";
            case NODE -> "gpu-01:9100";
            case ACCELERATOR -> "gpu-01:9400";
            case TRAINER -> "gpu-01:9401";
            case REDIS -> "meta-a:6379";
        };
    }
}
