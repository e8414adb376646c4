package dev.onset.sources.exposition;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onset.signals.Fault;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reads the Prometheus text format 0.0.4 and OpenMetrics 1.0 from bytes. Never throws for bad input: a bad line becomes
 * a fault, the other lines are used. Which of the two formats it is shows in the body itself, never in a header: OpenMetrics
 * ends with {@code # EOF}. The types that exporters state are not read; JuiceFS calls the same counter {@code counter} in
 * one format and {@code unknown} in the other.
 */
public final class ExpositionParser {
    public static final int MAX_FAULTS = 20;
    public static final int MAX_SAMPLES = 200_000;
    public static final int MAX_LINE_BYTES = 1 << 20;
    public static final int MAX_BODY_BYTES = 64 << 20;

    private static final byte[] END = "# EOF".getBytes(UTF_8);

    private final byte[] body;
    private final int length;
    private final Family wanted;
    private final Layout.@Nullable Draft draft;
    private final SampleLine line;
    private final SeenSeries series = new SeenSeries();
    private final BitSet undecidedTimestamps = new BitSet();
    private final List<Fault> faults = new ArrayList<>();
    private int faultyLines;
    private int duplicates;
    private int lines;

    private ExpositionParser(byte[] body, int length, Family wanted, Layout.@Nullable Draft draft) {
        this.body = body;
        this.length = length;
        this.wanted = wanted;
        this.draft = draft;
        this.line = new SampleLine(body);
    }

    /**
     * @param body the bytes of the whole answer; that it was cut inside its last number cannot be seen here
     * @param length how many of them count
     * @param wanted which metric names are kept
     */
    public static Exposition parse(byte[] body, int length, Family wanted) {
        return parse(body, length, wanted, null);
    }

    /** Notes in {@code draft}, too, where the numbers stand. */
    static Exposition parse(byte[] body, int length, Family wanted, Layout.@Nullable Draft draft) {
        Objects.checkFromIndexSize(0, length, body.length);
        return new ExpositionParser(body, length, wanted, draft).read();
    }

    /** The number that a label such as {@code le} or {@code quantile} holds, or NaN where it holds none. */
    public static double parseValue(String text) {
        byte[] bytes = text.getBytes(UTF_8);
        Decimal number = new Decimal();
        return number.read(bytes, 0, bytes.length) == bytes.length ? number.value : Double.NaN;
    }

    private Exposition read() {
        int end = Math.min(length, MAX_BODY_BYTES);
        int from = 0;
        boolean more = true;
        while (more && from < end) {
            lines++;
            int to = line.readAhead(from, end);
            int lineEnd = to < 0 ? Bytes.lineEnd(body, from, end) : skipReturns(to, end);
            if (lineEnd == end && end < length) {
                endEarly(Problem.LARGE_BODY, from, end);
                break;
            }
            if (to >= 0 && to - from <= MAX_LINE_BYTES) {
                more = take(from, to);
            } else {
                more = readOddLine(from, line.withoutReturns(from, lineEnd), lineEnd + 1);
            }
            from = lineEnd + 1;
        }
        return new Exposition(series.samples(), faults, faultyLines, duplicates, lines);
    }

    private int skipReturns(int from, int end) {
        int at = from;
        while (at < end && body[at] == '\r') {
            at++;
        }
        return at;
    }

    /** A line that is no sample: empty, a comment, the end mark, or faulty. Answers whether the next is to be read. */
    private boolean readOddLine(int from, int to, int next) {
        if (to - from > MAX_LINE_BYTES) {
            fault(Problem.LONG_LINE, from, to);
            return true;
        }
        int start = Numbers.skipBlanks(body, from, to);
        if (start == to) {
            return true;
        }
        if (body[start] == '#') {
            return !isEnd(from, to) || endOfOpenMetrics(next);
        }
        if (line.read(from, to)) {
            return take(from, to);
        }
        faultyLines++;
        if (faults.size() < MAX_FAULTS) {
            faults.add(new Fault(lines, line.problem()));
        }
        return true;
    }

    /** A good line. Answers whether the next is to be read. */
    private boolean take(int from, int to) {
        boolean kept = false;
        if (wanted.wanted(body, line.nameFrom(), line.nameTo())) {
            if (series.samples().size() == MAX_SAMPLES) {
                endEarly(Problem.TOO_MANY_SAMPLES, from, to);
                return false;
            }
            kept = keep();
        }
        if (draft != null) {
            draft.add(
                    from,
                    line.nameTo(),
                    line.valueFrom(),
                    to,
                    kept ? series.samples().size() - 1 : Layout.NOT_KEPT);
        }
        return true;
    }

    /** Answers false for a series that is there already. */
    private boolean keep() {
        Numbers numbers = line.numbers();
        ExposedSample sample =
                new ExposedSample(line.name(), line.labels(), numbers.value(), numbers.timestampMillis(), lines);
        if (!series.add(line.seriesHash(), sample)) {
            duplicates++;
            return false;
        }
        if (numbers.hasUndecidedTimestamp()) {
            undecidedTimestamps.set(series.samples().size() - 1);
        }
        return true;
    }

    private boolean isEnd(int from, int to) {
        int behind = from + END.length;
        return behind <= to
                && Arrays.equals(body, from, behind, END, 0, END.length)
                && Numbers.skipBlanks(body, behind, to) == to;
    }

    private boolean endOfOpenMetrics(int next) {
        undecidedTimestamps.stream().forEach(this::readAsSeconds);
        if (draft != null) {
            draft.openMetrics();
        }
        int at = next;
        int blankLines = 0;
        while (at < length && isBlankOrLineEnd(body[at])) {
            blankLines += body[at] == '\n' ? 1 : 0;
            at++;
        }
        if (at < length) {
            lines += blankLines + 1;
            end(Problem.TEXT_BEHIND_END, at, line.withoutReturns(at, Bytes.lineEnd(body, at, length)));
        }
        return false;
    }

    private void readAsSeconds(int index) {
        ExposedSample read = series.samples().get(index);
        long millis = Numbers.secondsToMillis(read.timestampMillis());
        series.samples().set(index, new ExposedSample(read.name(), read.labels(), read.value(), millis, read.line()));
    }

    private static boolean isBlankOrLineEnd(byte letter) {
        return Numbers.isBlank(letter) || letter == '\n' || letter == '\r';
    }

    private void fault(Problem problem, int from, int to) {
        faultyLines++;
        if (faults.size() < MAX_FAULTS) {
            faults.add(faultHere(problem, from, to));
        }
    }

    /** A fault that stops the reading is always told, in place of an earlier one if need be. */
    private void end(Problem problem, int from, int to) {
        if (faults.size() == MAX_FAULTS) {
            faults.remove(MAX_FAULTS - 1);
        }
        fault(problem, from, to);
    }

    private void endEarly(Problem problem, int from, int to) {
        end(problem, from, to);
        if (draft != null) {
            draft.giveUp();
        }
    }

    private Fault faultHere(Problem problem, int from, int to) {
        return new Fault(lines, problem.text("", Visible.of(body, from, to)));
    }
}
