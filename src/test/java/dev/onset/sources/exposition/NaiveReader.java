package dev.onset.sources.exposition;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A second reader of both formats, as plain as can be: strings, regular expressions, no thought for speed. */
final class NaiveReader {
    private static final String LABEL = "[ \t]*([a-zA-Z_][a-zA-Z0-9_]*)[ \t]*=[ \t]*\"((?:[^\"\\\\]|\\\\.)*+)\"[ \t]*";
    private static final String NUMBER =
            "[-+]?(?:(?:[0-9]++\\.?[0-9]*+|\\.[0-9]++)(?:[eE][-+]?[0-9]++)?|(?i:nan|inf|infinity))";
    private static final Pattern LINE = Pattern.compile(
            "[ \t]*([a-zA-Z_:][a-zA-Z0-9_:]*+)(?:[ \t]*\\{((?:" + LABEL
                    + "(?:,|(?=\\})))*+[ \t]*)\\}|(?=[ \t]))[ \t]*(" + NUMBER + ")(?:[ \t]+(" + NUMBER
                    + "))?(?:[ \t]*|[ \t]+#[ \t]*\\{.*)",
            Pattern.DOTALL);
    private static final Pattern PAIR = Pattern.compile(LABEL + "(?:,|$)", Pattern.DOTALL);

    final List<ExposedSample> samples = new ArrayList<>();
    final List<Integer> faultyLines = new ArrayList<>();
    int duplicates;

    NaiveReader(byte[] body) {
        String text = new String(body, UTF_8);
        boolean openMetrics =
                Pattern.compile("(?:^|\n)# EOF[ \t]*\r*(?:\n|$)").matcher(text).find();
        Set<Object> seen = new HashSet<>();
        int number = 0;
        for (String raw : text.split("\n", -1)) {
            number++;
            String line = raw.replaceAll("\r+$", "");
            if (line.matches("# EOF[ \t]*")) {
                break;
            }
            if (line.matches("[ \t]*(#[\\s\\S]*)?")) {
                continue;
            }
            ExposedSample sample =
                    line.indexOf('\0') >= 0 || line.indexOf('\ufffd') >= 0 ? null : read(line, number, openMetrics);
            if (sample == null) {
                faultyLines.add(number);
            } else if (seen.add(List.of(sample.name(), sorted(sample.labels())))) {
                samples.add(sample);
            } else {
                duplicates++;
            }
        }
    }

    private static @Nullable ExposedSample read(String line, int number, boolean openMetrics) {
        Matcher matcher = LINE.matcher(line);
        if (!matcher.matches()) {
            return null;
        }
        List<String> pairs = new ArrayList<>();
        Set<String> names = new HashSet<>();
        if (matcher.group(2) != null) {
            Matcher pair = PAIR.matcher(matcher.group(2));
            while (pair.find()) {
                if (!names.add(pair.group(1))) {
                    return null;
                }
                pairs.add(pair.group(1));
                pairs.add(unescaped(pair.group(2)));
            }
        }
        long stamp = ExposedSample.NO_TIMESTAMP;
        String stampText = matcher.group(6);
        if (stampText != null) {
            double written = number(stampText);
            if (Double.isNaN(written) || Double.isInfinite(written)) {
                return null;
            }
            boolean seconds = openMetrics || !stampText.matches("[-+]?[0-9]+");
            stamp = Math.max(Math.round(seconds ? written * 1000 : written), Long.MIN_VALUE + 1);
        }
        return new ExposedSample(matcher.group(1), new Labels(pairs), number(matcher.group(5)), stamp, number);
    }

    private static String unescaped(String value) {
        return Pattern.compile("\\\\([n\"\\\\])")
                .matcher(value)
                .replaceAll(found -> Matcher.quoteReplacement(found.group(1).equals("n") ? "\n" : found.group(1)));
    }

    private static double number(String text) {
        if (text.matches("(?i)[-+]?nan")) {
            return Double.NaN;
        }
        if (text.matches("(?i)[-+]?inf(inity)?")) {
            return text.startsWith("-") ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
        }
        return Double.parseDouble(text);
    }

    private static Map<String, String> sorted(Labels labels) {
        Map<String, String> sorted = new TreeMap<>();
        for (int i = 0; i < labels.pairs().size(); i += 2) {
            sorted.put(labels.pairs().get(i), labels.pairs().get(i + 1));
        }
        return sorted;
    }
}
