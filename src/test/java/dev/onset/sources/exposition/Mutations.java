package dev.onset.sources.exposition;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Changes to bodies, from a seed. */
final class Mutations {
    private static final Pattern LAST_WORD = Pattern.compile("(?m)^([^#\n].*[ }])([^ \n]+)$");

    private Mutations() {}

    /** Eighty lines in a row. */
    static List<String> stretch(List<String> lines, Random random) {
        int from = random.nextInt(lines.size() - 80);
        return new ArrayList<>(lines.subList(from, from + 80));
    }

    /** A few lines removed, repeated, swapped, cut, stamped, and given other numbers, labels, exemplars and line ends. */
    static byte[] some(List<String> lines, Random random) {
        for (int i = random.nextInt(12); i >= 0; i--) {
            int at = random.nextInt(lines.size());
            String line = lines.get(at);
            switch (random.nextInt(9)) {
                case 0 -> lines.remove(at);
                case 1 -> lines.add(at, lines.get(random.nextInt(lines.size())));
                case 2 -> Collections.swap(lines, at, random.nextInt(lines.size()));
                case 3 -> lines.set(at, withValue(line, random));
                case 4 -> lines.set(at, line + " " + (1796073199295L + random.nextInt(100_000)));
                case 5 -> lines.set(at, line + " " + (1796073199.5 + random.nextInt(1000)) + " # {id=\"x\\\"y\"} 5 7");
                case 6 -> lines.set(at, line.substring(0, random.nextInt(line.length() + 1)));
                case 7 -> lines.set(at, line + "\t ");
                default -> lines.set(at, line.replaceFirst("=\"", "=\"\\\\\\\\\\\\\"\\\\n é路"));
            }
        }
        if (random.nextInt(4) == 0) {
            lines.add(lines.size() - random.nextInt(2), "# EOF");
            int end = lines.lastIndexOf("# EOF");
            lines.subList(end + 1, lines.size()).clear();
        }
        String body = String.join(random.nextInt(4) == 0 ? "\r\n" : "\n", lines) + (random.nextBoolean() ? "\n" : "");
        return (random.nextInt(3) == 0 ? body.substring(0, random.nextInt(body.length())) : body).getBytes(UTF_8);
    }

    private static String withValue(String line, Random random) {
        List<String> values =
                List.of("NaN", "+Inf", "-Inf", "1e-7", "2.06759872e+08", "12345678901234567890", "-0.0", "5.0");
        return line.substring(0, line.lastIndexOf(' ') + 1) + values.get(random.nextInt(values.size()));
    }

    /** The same lines with other numbers of other lengths. */
    static byte[] numbers(byte[] body, Random random) {
        Matcher lines = LAST_WORD.matcher(new String(body, UTF_8));
        return lines.replaceAll(line -> Matcher.quoteReplacement(line.group(1)) + number(random))
                .getBytes(UTF_8);
    }

    private static String number(Random random) {
        return switch (random.nextInt(5)) {
            case 0 -> Double.toString(random.nextDouble());
            case 1 -> "" + random.nextInt(1 << random.nextInt(30));
            case 2 -> Double.toString(Double.longBitsToDouble(random.nextLong()));
            case 3 -> "%.9e".formatted(random.nextDouble() * 1e9);
            default ->
                List.of("NaN", "+Inf", "-Inf", "0", "1.0", "12345678901234567890123")
                        .get(random.nextInt(6));
        };
    }

    /** Up to sixty bytes replaced, most of them by bytes that mean something. */
    static void noise(byte[] body, Random random) {
        byte[] odd = "\"\\{}=,# \t\r\n\0eE+-.0159NaInf_:\u00ff\u00c3\u00a9".getBytes(ISO_8859_1);
        for (int i = random.nextInt(60); i >= 0; i--) {
            body[random.nextInt(body.length)] =
                    random.nextInt(4) == 0 ? (byte) random.nextInt() : odd[random.nextInt(odd.length)];
        }
    }
}
