package dev.onset.timeline;

import dev.onset.signals.Fault;
import dev.onset.signals.Sample;
import dev.onset.signals.Scrape;
import dev.onset.signals.Signal;
import dev.onset.signals.Text;
import java.util.Optional;

/**
 * Whose answers come from one address, by the time at which each process started. A restart only ever brings a younger
 * process; an older one that comes back again and again shares the address with another.
 */
final class Processes {
    /** Ages count in seconds and are told when the answer is written; a clock that is set jumps once, not again and again. */
    private static final double APART_SECONDS = 10;

    private static final int OFTEN = 2;
    private static final int REMEMBERED_STEPS = 20;

    private double start = Double.NaN;
    private long lastReturn = Long.MIN_VALUE;
    private int returns;
    private double youngerSeconds;

    /** Takes an answer in; whether it comes from an older process than the answer before. */
    boolean olderAnswers(Scrape.Scraped answer, long step) {
        double before = start;
        double now = start(answer);
        start = Double.isNaN(now) ? start : now;
        if (!(now < before - APART_SECONDS)) {
            return false;
        }
        returns = remembered(step) ? returns + 1 : 1;
        lastReturn = step;
        youngerSeconds = before - now;
        return true;
    }

    Optional<Fault> fault(long step) {
        return returns >= OFTEN && remembered(step)
                ? Optional.of(new Fault(
                        0,
                        Text.format(
                                "two processes answer in turn here, started %1$.0f s apart; nothing is counted across a change"
                                        + " between them",
                                "两个进程轮流应答同一地址，启动时间相差 %1$.0f 秒；二者交替之间不计数", youngerSeconds)))
                : Optional.empty();
    }

    private boolean remembered(long step) {
        return lastReturn != Long.MIN_VALUE && step - lastReturn <= REMEMBERED_STEPS;
    }

    /** Epoch seconds; NaN where the answer does not tell. */
    private static double start(Scrape.Scraped answer) {
        double start = Double.NaN;
        for (Sample sample : answer.samples()) {
            if (sample.signal() == Signal.PROCESS_START) {
                return sample.value();
            }
            if (sample.signal() == Signal.UPTIME || sample.signal() == Signal.REDIS_UPTIME) {
                start = answer.atMillis() / 1e3 - sample.value();
            }
        }
        return start;
    }
}
