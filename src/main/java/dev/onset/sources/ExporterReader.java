package dev.onset.sources;

import dev.onset.signals.Distribution;
import dev.onset.signals.Fault;
import dev.onset.signals.Gap;
import dev.onset.signals.MetricDictionary;
import dev.onset.signals.Sample;
import dev.onset.signals.Scope;
import dev.onset.signals.Scrape;
import dev.onset.signals.Signal;
import dev.onset.signals.Target;
import dev.onset.signals.Text;
import dev.onset.sources.exposition.Body;
import dev.onset.sources.exposition.ExposedSample;
import dev.onset.sources.exposition.LayoutParser;
import dev.onset.sources.exposition.Layouts;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Turns an exporter's text into samples of signals: who answered, which series belong to which signal. What an answer says
 * does not depend on the answers before; how fast it is read does.
 */
final class ExporterReader {
    /** An exporter's own time stamp further away than this is ignored: it would move its samples to another step. */
    private static final long CREDIBLE_STAMP_MILLIS = 5 * 60_000L;

    /** Targets come and go with their pods: beyond this many, the one not asked for longest is read anew. */
    private static final int MOST_REMEMBERED = 20_000;

    private final MetricDictionary dictionary;
    private final Layouts layouts = new Layouts(Runtime.getRuntime().maxMemory() / 8);
    private final Map<Target, Known> known = new LinkedHashMap<>(16, 0.75f, true);

    /** What is remembered about a target. */
    private static final class Known {
        final LayoutParser parser;
        final Scope scope;

        @Nullable
        ExporterPlan plan;

        int generation = -1;

        Known(LayoutParser parser, Scope scope) {
            this.parser = parser;
            this.scope = scope;
        }
    }

    ExporterReader(MetricDictionary dictionary) {
        this.dictionary = dictionary;
    }

    Scrape read(Answer answer, byte[] bytes, int length) {
        Known target = known(answer.target());
        Body body = target.parser.read(bytes, length);
        if (body.size() == 0) {
            return new Scrape.Missed(answer.target(), true, answer.atMillis(), Gap.BAD_ANSWER, nothingUsable(body));
        }
        ExporterPlan plan = target.plan;
        if (plan == null || target.generation != body.generation()) {
            plan = ExporterPlan.of(answer.target(), body.series(), dictionary);
            target.plan = plan;
            target.generation = body.generation();
        }
        List<Sample> samples = new ArrayList<>();
        List<Distribution> distributions = new ArrayList<>();
        int incredible = plan.read(body, samples, distributions);
        samples.add(Sample.of(target.scope, Signal.SCRAPE_SECONDS, answer.tookSeconds()));
        samples.add(Sample.of(target.scope, Signal.SCRAPE_BYTES, length));
        return new Scrape.Scraped(
                answer.target(),
                true,
                answer.atMillis(),
                plan.identity(),
                samples,
                distributions,
                List.of(),
                plan.facts(),
                faults(answer, body, incredible));
    }

    private Known known(Target target) {
        Known found = known.computeIfAbsent(
                target, t -> new Known(new LayoutParser(dictionary::knows, layouts), Scope.target(t)));
        if (known.size() > MOST_REMEMBERED) {
            Iterator<Known> eldest = known.values().iterator();
            eldest.next().parser.close();
            eldest.remove();
        }
        return found;
    }

    private static Text nothingUsable(Body body) {
        if (!body.faults().isEmpty()) {
            Fault first = body.faults().get(0);
            return Text.format("line %1$d:", "第 %1$d 行：", first.line()).plus(first.reason());
        }
        return body.lines() == 0
                ? new Text("the answer is empty", "应答为空")
                : new Text("the answer has no metric that this service knows", "应答中没有本服务认识的指标");
    }

    private static List<Fault> faults(Answer answer, Body body, int incredible) {
        int stamped = wronglyStamped(answer, body);
        if (body.duplicates() == 0 && incredible == 0 && stamped < 0) {
            return body.faults();
        }
        List<Fault> faults = new ArrayList<>(body.faults());
        if (body.duplicates() > 0) {
            faults.add(new Fault(
                    0,
                    Text.format(
                            "%d duplicate series; the first of each counts", "%d 条重复序列；每组取第一条", body.duplicates())));
        }
        if (stamped >= 0) {
            faults.add(new Fault(
                    body.line(stamped),
                    Text.format(
                            "the target stamps its own samples (%1$s); the time of the scrape is used instead",
                            "目标自带时间戳（%1$s），改用采集时刻", Instant.ofEpochMilli(body.timestampMillis(stamped)))));
        }
        if (incredible > 0) {
            faults.add(new Fault(
                    0,
                    Text.format(
                            "%d samples outside their possible range were ignored",
                            "忽略了 %d 个超出可能取值范围的样本", incredible)));
        }
        return faults;
    }

    /** The first sample that the exporter stamps with a time far from ours; below 0 when there is none. */
    private static int wronglyStamped(Answer answer, Body body) {
        for (int i = 0; i < body.size(); i++) {
            long stamp = body.timestampMillis(i);
            if (stamp != ExposedSample.NO_TIMESTAMP && Math.abs(stamp - answer.atMillis()) > CREDIBLE_STAMP_MILLIS) {
                return i;
            }
        }
        return -1;
    }
}
