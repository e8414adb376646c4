package dev.onset.outlets.api;

import java.util.Comparator;

/** The order in which people look for names: 10.0.0.9 before 10.0.0.10, gpu-9 before gpu-10. */
final class Natural implements Comparator<String> {
    static final Natural ORDER = new Natural();

    @Override
    public int compare(String a, String b) {
        int i = 0;
        int j = 0;
        while (i < a.length() && j < b.length()) {
            int order;
            if (isDigit(a.charAt(i)) && isDigit(b.charAt(j))) {
                int iEnd = endOfNumber(a, i);
                int jEnd = endOfNumber(b, j);
                order = compareNumbers(a, i, iEnd, b, j, jEnd);
                i = iEnd;
                j = jEnd;
            } else {
                order = Character.compare(a.charAt(i++), b.charAt(j++));
            }
            if (order != 0) {
                return order;
            }
        }
        int left = Integer.compare(a.length() - i, b.length() - j);
        return left != 0 ? left : a.compareTo(b); // gpu-07 and gpu-7 are two
    }

    private static int compareNumbers(String a, int i, int iEnd, String b, int j, int jEnd) {
        int from = withoutZeros(a, i, iEnd);
        int other = withoutZeros(b, j, jEnd);
        int longer = Integer.compare(iEnd - from, jEnd - other);
        for (int k = 0; longer == 0 && k < iEnd - from; k++) {
            longer = Character.compare(a.charAt(from + k), b.charAt(other + k));
        }
        return longer;
    }

    private static int withoutZeros(String text, int from, int end) {
        int at = from;
        while (at < end - 1 && text.charAt(at) == '0') {
            at++;
        }
        return at;
    }

    private static int endOfNumber(String text, int from) {
        int at = from;
        while (at < text.length() && isDigit(text.charAt(at))) {
            at++;
        }
        return at;
    }

    private static boolean isDigit(char letter) {
        return letter >= '0' && letter <= '9';
    }
}
