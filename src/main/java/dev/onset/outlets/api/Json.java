package dev.onset.outlets.api;

import dev.onset.diagnoses.Evidence;
import dev.onset.signals.Gap;
import dev.onset.signals.Moment;
import dev.onset.signals.Scope;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The parts that several answers share. */
final class Json {
    private Json() {}

    /** JSON has no NaN: what was not measured is null. */
    static @Nullable Double number(double value) {
        return Double.isFinite(value) ? value : null;
    }

    static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    record ScopeJson(String kind, String group, String id) {
        static ScopeJson of(Scope scope) {
            return new ScopeJson(lower(scope.kind()), scope.group(), scope.id());
        }
    }

    /** Aligned series: index i covers the step that starts at {@code start + i · stepMillis}. */
    record SeriesJson(
            long stepMillis,
            @Nullable String start,
            List<TrackJson> tracks,
            List<MomentJson> moments,
            List<RunJson> masks) {
        static SeriesJson of(Evidence evidence, Locale locale) {
            return new SeriesJson(
                    evidence.stepMillis(),
                    Times.atOrNull(evidence.startMillis()),
                    evidence.lanes().stream()
                            .map(track -> TrackJson.of(track, locale))
                            .toList(),
                    evidence.moments().stream().map(MomentJson::of).toList(),
                    masks(evidence.masks()));
        }

        private static List<RunJson> masks(Map<String, List<Integer>> masks) {
            List<RunJson> runs = new ArrayList<>();
            new TreeMap<>(masks).forEach((name, steps) -> {
                Map<Integer, String> named = new TreeMap<>();
                steps.forEach(step -> named.put(step, name));
                runs.addAll(RunJson.runs(named));
            });
            return runs;
        }
    }

    record TrackJson(
            String signal,
            String part,
            ScopeJson scope,
            String unit,
            List<@Nullable Double> values,
            List<GapJson> gaps) {
        static TrackJson of(Evidence.Track track, Locale locale) {
            List<@Nullable Double> values = new ArrayList<>(track.values().length);
            for (double value : track.values()) {
                values.add(number(value));
            }
            return new TrackJson(
                    track.lane().signal().id(),
                    track.lane().part(),
                    ScopeJson.of(track.lane().scope()),
                    lower(track.lane().signal().unit()),
                    values,
                    RunJson.runs(track.gaps()).stream()
                            .map(run -> GapJson.of(run, locale))
                            .toList());
        }
    }

    /** Steps without a number, both ends included, and why. */
    record GapJson(int first, int last, String reason, String text) {
        static GapJson of(RunJson run, Locale locale) {
            String name = run.name();
            for (Gap gap : Gap.values()) {
                if (gap.name().equals(name)) {
                    return new GapJson(
                            run.first(), run.last(), lower(gap), gap.text().in(locale));
                }
            }
            return new GapJson(run.first(), run.last(), name.toLowerCase(Locale.ROOT), name);
        }
    }

    /** Consecutive steps with the same name, both ends included. */
    record RunJson(String name, int first, int last) {
        static List<RunJson> runs(Map<Integer, String> names) {
            List<RunJson> runs = new ArrayList<>();
            new TreeMap<>(names).forEach((step, name) -> {
                RunJson open = runs.isEmpty() ? null : runs.get(runs.size() - 1);
                if (open != null && open.last + 1 == step && open.name.equals(name)) {
                    runs.set(runs.size() - 1, new RunJson(name, open.first, step));
                } else {
                    runs.add(new RunJson(name, step, step));
                }
            });
            return runs;
        }
    }

    record MomentJson(
            ScopeJson scope,
            String kind,
            String name,
            String at,
            long precisionMillis,
            @Nullable Double seconds) {
        static MomentJson of(Moment moment) {
            return new MomentJson(
                    ScopeJson.of(moment.scope()),
                    lower(moment.kind()),
                    moment.name(),
                    Times.at(moment.atMillis()),
                    moment.precisionMillis(),
                    number(moment.seconds()));
        }
    }
}
