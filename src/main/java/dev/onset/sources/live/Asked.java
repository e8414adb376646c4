package dev.onset.sources.live;

import dev.onset.signals.Gap;
import dev.onset.signals.Target;
import dev.onset.sources.Answer;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A target that is asked once per step, and how that went so far. */
abstract class Asked implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LiveSources.class);

    final Target target;
    final boolean discovered;
    /** Nothing is said about it before its first answer: it may well not exist. */
    private final boolean quiet;

    /** Eight minutes at the usual step: there are three of these per target. */
    private static final int REMEMBERED = 32;

    private final LastValues skew = new LastValues(REMEMBERED);
    private final LastValues millis = new LastValues(REMEMBERED);
    private final LastValues bytes = new LastValues(REMEMBERED);
    private volatile boolean answered;
    private volatile boolean tooLate;
    private volatile long sinceMillis;
    private volatile @Nullable Latest latest;

    /** What is left of the latest answer: its bytes are another answer's by now. */
    private record Latest(@Nullable Gap missing, String detail) {
        static final Latest ANSWERED = new Latest(null, "");

        static Latest of(Answer answer) {
            return answer.missing() == null ? ANSWERED : new Latest(answer.missing(), answer.detail());
        }
    }

    Asked(Target target, boolean discovered, boolean quiet) {
        this.target = target;
        this.discovered = discovered;
        this.quiet = quiet;
    }

    /** Asks now; completes within the limit and never exceptionally. */
    abstract CompletableFuture<List<Answer>> ask();

    Collection<String> refused() {
        return List.of();
    }

    void startPings() {}

    @Override
    public void close() {}

    /** A target that was too late the last time is not waited for, so that it delays one step and no more. */
    boolean waitedFor() {
        return !tooLate;
    }

    boolean silent() {
        return quiet && !answered;
    }

    boolean failing() {
        Latest last = latest;
        return last != null && last.missing() != null;
    }

    /** Takes in what was answered to the question of this instant. */
    void note(List<Answer> answers, long instantMillis) {
        for (Answer answer : answers) {
            if (answer.kind() == Answer.Kind.METRICS || answer.kind() == Answer.Kind.INFO) {
                note(answer, instantMillis);
                return;
            }
        }
    }

    private void note(Answer answer, long instantMillis) {
        Latest before = latest;
        boolean up = answer.missing() == null;
        tooLate = answer.missing() == Gap.TIMED_OUT;
        if (before == null || (before.missing() == null) != up) {
            sinceMillis = answer.atMillis();
            // One line per change, not one per step.
            if (up && before != null && !silent()) {
                LOG.info("{} {} answers", target.kind(), target.address());
            } else if (!up && !silent()) {
                LOG.warn("{} {}", target.kind(), answer.detail());
            }
        }
        skew.add((double) Math.abs(answer.atMillis() - instantMillis));
        if (answer.bytes() != null) {
            answered = true;
            millis.add(answer.tookSeconds() * 1000);
            bytes.add(answer.length());
        }
        latest = Latest.of(answer);
    }

    TargetState state() {
        Latest last = latest;
        boolean up = last != null && last.missing() == null;
        return new TargetState(
                target,
                discovered,
                up,
                sinceMillis,
                last == null ? Gap.NOT_SCRAPED_YET : last.missing(),
                last == null ? "" : last.detail(),
                List.copyOf(refused()),
                () -> new TargetState.Asking(skew.quantile(0.99), millis.quantile(0.5), bytes.quantile(0.5)));
    }
}
