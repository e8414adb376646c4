package dev.onset.diagnoses;

import dev.onset.diagnoses.Arbiter.Standing;
import dev.onset.rules.Finding;
import dev.onset.rules.Judgement;
import dev.onset.signals.Scope;
import dev.onset.signals.Text;
import dev.onset.timeline.TimeAxis;
import dev.onset.timeline.Window;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The life of incidents: open → easing → resolved, and open again when the same thing comes back soon. Time is that of
 * the answers, so a replay gives what the live run gave.
 */
public final class Incidents {
    /** Quiet steps of 15 s until an incident is resolved; doubles each time that it came back, up to ten minutes. */
    private static final int HOLD = 4;

    private static final int LONGEST_HOLD = 40;
    /** The same finding within this many steps after it was resolved is the same incident. */
    private static final int SAME_INCIDENT = 40;

    private final TimeAxis axis;
    private final @Nullable String recording;
    private final Map<Key, Life> lives = new LinkedHashMap<>();

    private record Key(String rule, Scope scope) {}

    private static final class Life {
        Diagnosis diagnosis;
        int returns;

        Life(Diagnosis diagnosis) {
            this.diagnosis = diagnosis;
        }
    }

    /**
     * What a tick changed.
     *
     * @param touched every diagnosis that is different now
     * @param changes what people are told
     */
    public record Outcome(List<Diagnosis> touched, List<DiagnosisChange> changes) {}

    /**
     * @param recording name of the recording that is replayed, null when live
     */
    public Incidents(TimeAxis axis, @Nullable String recording) {
        this.axis = axis;
        this.recording = recording;
    }

    /** Takes up the incidents that an earlier run left unresolved. */
    public void resume(Collection<Diagnosis> unresolved) {
        for (Diagnosis diagnosis : unresolved) {
            lives.put(new Key(diagnosis.rule(), diagnosis.scope()), new Life(diagnosis));
        }
    }

    /** Everything that is not resolved. */
    public List<Diagnosis> current() {
        return lives.values().stream()
                .map(life -> life.diagnosis)
                .filter(diagnosis -> diagnosis.state() != State.RESOLVED)
                .toList();
    }

    /**
     * One tick.
     *
     * @param judgements of all rules
     * @param windows the window of a scope, as the rules saw it
     * @param stepEndMillis end of the judged step
     * @param nowMillis when the judgement was possible: the time of the step's last answer
     */
    public Outcome next(
            List<Judgement> judgements, Function<Scope, Window> windows, long stepEndMillis, long nowMillis) {
        List<Diagnosis> touched = new ArrayList<>();
        List<DiagnosisChange> changes = new ArrayList<>();
        Set<Key> seen = new HashSet<>();
        for (Standing standing : Arbiter.standing(judgements, openScopes())) {
            Key key = new Key(standing.rule(), standing.scope());
            seen.add(key);
            found(key, standing.finding(), windows.apply(standing.scope()), stepEndMillis, nowMillis, changes);
            touched.add(life(key).diagnosis);
        }
        for (Map.Entry<Key, Life> entry : lives.entrySet()) {
            if (!seen.contains(entry.getKey()) && quiet(entry.getValue(), nowMillis, changes)) {
                touched.add(entry.getValue().diagnosis);
            }
        }
        forget(nowMillis);
        return new Outcome(touched, changes);
    }

    private Life life(Key key) {
        Life life = lives.get(key);
        if (life == null) {
            throw new IllegalStateException("no incident for " + key);
        }
        return life;
    }

    private Map<String, Set<Scope>> openScopes() {
        Map<String, Set<Scope>> open = new HashMap<>();
        lives.forEach((key, life) -> {
            if (life.diagnosis.state() != State.RESOLVED) {
                open.computeIfAbsent(key.rule, rule -> new HashSet<>()).add(key.scope);
            }
        });
        return open;
    }

    private void found(
            Key key,
            Finding finding,
            Window window,
            long stepEndMillis,
            long nowMillis,
            List<DiagnosisChange> changes) {
        Life life = lives.get(key);
        if (life == null) {
            Diagnosis opened = open(key, finding, window, stepEndMillis, nowMillis);
            lives.put(key, new Life(opened));
            changes.add(new DiagnosisChange(DiagnosisChange.Kind.OPENED, opened));
            return;
        }
        Diagnosis before = life.diagnosis;
        List<TrailEntry> trail = new ArrayList<>(before.trail());
        boolean worse = finding.severity().compareTo(before.finding().severity()) < 0;
        boolean back = before.state() == State.RESOLVED;
        if (before.state() == State.EASING || back) {
            life.returns++;
        }
        if (back) {
            trail.add(new TrailEntry(nowMillis, new Text("it came back", "再次出现")));
        } else if (worse) {
            trail.add(new TrailEntry(
                    nowMillis,
                    Text.format(
                            "severity %1$s → %2$s",
                            "级别 %1$s → %2$s", before.finding().severity(), finding.severity())));
        } else if (finding.confidence().compareTo(before.finding().confidence()) > 0) {
            trail.add(new TrailEntry(
                    nowMillis,
                    Text.format(
                            "now %1$s", "把握升为 %1$s", finding.confidence().name().toLowerCase(java.util.Locale.ROOT))));
        }
        Finding kept = stronger(before.finding(), begunWith(before.finding(), finding));
        Cost cost = CostMeter.add(before.cost(), window, finding.losses(), before.lastSeenMillis());
        life.diagnosis = new Diagnosis(
                before.id(),
                before.rule(),
                before.scope(),
                State.OPEN,
                before.firstSeenMillis(),
                before.openedMillis(),
                stepEndMillis,
                null,
                kept,
                cost,
                EvidenceTaker.take(window, kept.lanes(), before.firstSeenMillis()),
                before.recording(),
                trail);
        if (back) {
            changes.add(new DiagnosisChange(DiagnosisChange.Kind.OPENED, life.diagnosis));
        } else if (worse) {
            changes.add(new DiagnosisChange(DiagnosisChange.Kind.UPDATED, life.diagnosis));
        }
    }

    /** Later bursts change the argument about an incident, not where it began. */
    private static Finding begunWith(Finding before, Finding now) {
        return before.onsets().isEmpty() ? now : now.withOnsets(before.onsets());
    }

    /** The newest argument, unless the one before was more serious or surer. */
    private static Finding stronger(Finding before, Finding now) {
        boolean milder = now.severity().compareTo(before.severity()) > 0;
        boolean lessSure = now.confidence().compareTo(before.confidence()) < 0;
        boolean weaker = milder || (now.severity() == before.severity() && lessSure);
        return weaker ? before : now;
    }

    private Diagnosis open(Key key, Finding finding, Window window, long stepEndMillis, long nowMillis) {
        long first = finding.onsets().isEmpty()
                ? stepEndMillis - axis.stepMillis()
                : finding.onsets().get(0).toMillis();
        return new Diagnosis(
                id(key, first),
                key.rule,
                key.scope,
                State.OPEN,
                first,
                nowMillis,
                stepEndMillis,
                null,
                finding,
                CostMeter.add(Cost.NONE, window, finding.losses(), Long.MIN_VALUE),
                EvidenceTaker.take(window, finding.lanes(), first),
                recording,
                List.of(new TrailEntry(nowMillis, new Text("opened", "打开"))));
    }

    /** True when the diagnosis changed. */
    private boolean quiet(Life life, long nowMillis, List<DiagnosisChange> changes) {
        Diagnosis before = life.diagnosis;
        if (before.state() == State.RESOLVED) {
            return false;
        }
        int hold = Math.min(LONGEST_HOLD, HOLD << Math.min(8, life.returns));
        boolean over = nowMillis - before.lastSeenMillis() >= axis.millis(hold) - axis.stepMillis();
        if (!over && before.state() == State.EASING) {
            return false;
        }
        List<TrailEntry> trail = new ArrayList<>(before.trail());
        if (over) {
            trail.add(new TrailEntry(nowMillis, new Text("resolved", "已解除")));
        }
        life.diagnosis = new Diagnosis(
                before.id(),
                before.rule(),
                before.scope(),
                over ? State.RESOLVED : State.EASING,
                before.firstSeenMillis(),
                before.openedMillis(),
                before.lastSeenMillis(),
                over ? (Long) nowMillis : null,
                before.finding(),
                before.cost(),
                before.evidence(),
                before.recording(),
                trail);
        if (over) {
            changes.add(new DiagnosisChange(DiagnosisChange.Kind.RESOLVED, life.diagnosis));
        }
        return true;
    }

    private void forget(long nowMillis) {
        lives.values().removeIf(life -> {
            Long resolved = life.diagnosis.resolvedMillis();
            return resolved != null && nowMillis - resolved > axis.millis(SAME_INCIDENT);
        });
    }

    private String id(Key key, long firstMillis) {
        String name = key.rule + "|" + key.scope.group() + "|" + key.scope + "|" + firstMillis + "|" + recording;
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(name.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, 6);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
