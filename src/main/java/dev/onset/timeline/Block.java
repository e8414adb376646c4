package dev.onset.timeline;

import dev.onset.signals.Gap;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The cells of all columns of one scope for {@value #STEPS} steps, packed into one array: a table with a word for each
 * column, then the cells of those that need any. A column that stood still needs none; narrow cells take two bytes, or
 * three where they differ a hundredfold; whole numbers and hundredths one, two or four, others eight. Nothing is lost,
 * and each cell is found at once.
 */
final class Block {
    static final int STEPS = 60;

    static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);

    // What the first byte of a column's word says about the other three.
    private static final int NOTHING = 0;
    /** They are the one narrow cell. */
    private static final int SAME_NARROW = 1;
    /** They tell where the one exact cell is, or the sixty of each kind. */
    private static final int SAME_EXACT = 2;

    private static final int NARROW = 3;
    private static final int EXACT = 4;
    private static final int WHOLE = 5;
    private static final int HUNDREDTHS = 8;
    private static final int MOVED = 11;
    /** Narrow cells within {@value #BINADES} powers of two: three bits of exponent, thirteen of fraction. */
    private static final int CLOSE = 12;

    private static final int BINADES = 7;
    /** The exponent that is none: zero, then the gaps. */
    private static final int OTHER = BINADES << 13;

    /** In columns of whole numbers the last codes are gaps. */
    private static final Gap[] GAPS = Gap.values();

    private static final int PLACE = 0xFF_FFFF;

    private Block() {}

    static long cell(byte[] block, int column, int cell, boolean narrow) {
        int word = word(block, column);
        int at = word & PLACE;
        int kind = word >>> 24;
        return switch (kind) {
            case NOTHING -> Cell.gap(Gap.NOT_SCRAPED_YET, narrow);
            case SAME_NARROW -> at;
            case SAME_EXACT -> (long) LONG.get(block, at);
            case NARROW -> (int) INT.get(block, at + cell * Cell.NARROW_BYTES) & PLACE;
            case EXACT -> (long) LONG.get(block, at + cell * Cell.EXACT_BYTES);
            case CLOSE -> close(block, at, cell);
            default -> counted(block, at, cell, kind);
        };
    }

    private static long close(byte[] block, int at, int cell) {
        int code = (short) SHORT.get(block, at + 1 + 2 * cell) & 0xFFFF;
        if (code < OTHER) {
            return ((long) (block[at] & 0xFF) << 15) + ((long) code << 2);
        }
        return code == OTHER ? 0 : Cell.gap(GAPS[code - OTHER - 1], true);
    }

    private static long counted(byte[] block, int at, int cell, int kind) {
        boolean whole = kind < HUNDREDTHS;
        int size = kind - (whole ? WHOLE : HUNDREDTHS);
        int cells = at + 8;
        long code = size == 0
                ? block[cells + cell] & 0xFF
                : size == 1
                        ? (short) SHORT.get(block, cells + 2 * cell) & 0xFFFF
                        : (int) INT.get(block, cells + 4 * cell) & 0xFFFF_FFFFL;
        long room = room(size);
        if (code >= room) {
            return Cell.gap(GAPS[(int) (code - room)], false);
        }
        double number = (long) LONG.get(block, at) + code;
        return Double.doubleToRawLongBits(whole ? number : number / 100);
    }

    /** How many different numbers a column of this size can hold. */
    private static long room(int size) {
        return (1L << (8 << size)) - GAPS.length;
    }

    /** Widens {@code range} to the numbers in {@code [from, to)} of a column. */
    static void widen(byte[] block, int column, int from, int to, boolean narrow, Range range) {
        int word = word(block, column);
        int kind = word >>> 24;
        if (kind == SAME_NARROW || kind == SAME_EXACT) {
            range.add(Cell.value(cell(block, column, from, narrow), narrow));
        } else if (kind == NARROW) {
            int at = word & PLACE;
            for (int i = from; i < to; i++) {
                range.add(Float.intBitsToFloat((int) INT.get(block, at + i * Cell.NARROW_BYTES) << 8));
            }
        } else if (kind == CLOSE) {
            int at = word & PLACE;
            for (int i = from; i < to; i++) {
                range.add(Cell.value(close(block, at, i), true));
            }
        } else if (kind != NOTHING) {
            for (int i = from; i < to; i++) {
                range.add(Cell.value(cell(block, column, i, narrow), narrow));
            }
        }
    }

    /** Where the bytes of a histogram's cell begin; -1 when no bucket moved. */
    static int moved(byte[] block, int column, int cell) {
        int word = word(block, column);
        if (word >>> 24 != MOVED) {
            return -1;
        }
        Moves.Numbers lengths = new Moves.Numbers(block, word & PLACE);
        long length = lengths.next();
        for (int i = 0; i < cell; i++) {
            lengths.at += (int) length;
            length = lengths.next();
        }
        return length == 0 ? -1 : lengths.at;
    }

    private static int word(byte[] block, int column) {
        int columns = (int) INT.get(block, 0);
        return column < columns ? (int) INT.get(block, 4 + 4 * column) : NOTHING;
    }

    /** Packs blocks, one after the other, in a buffer that is kept. */
    static final class Packer {
        private byte[] buffer = new byte[1 << 14];
        private int end;

        void begin(int columnCount) {
            end = 0;
            room(4 + 4 * columnCount);
            Arrays.fill(buffer, 0, 4 + 4 * columnCount, (byte) 0);
            INT.set(buffer, 0, columnCount);
            end = 4 + 4 * columnCount;
        }

        byte[] finish() {
            // A narrow cell is read with the byte behind it.
            return Arrays.copyOf(buffer, end + 1);
        }

        void same(int column, long cell, boolean narrow) {
            if (narrow) {
                word(column, SAME_NARROW, (int) cell);
            } else if (cell != Cell.gap(Gap.NOT_SCRAPED_YET, false)) {
                word(column, SAME_EXACT, end);
                room(8);
                LONG.set(buffer, end, cell);
                end += 8;
            }
        }

        void narrow(int column, byte[] cells) {
            if (!close(column, cells)) {
                word(column, NARROW, end);
                copy(cells, STEPS * Cell.NARROW_BYTES);
            }
        }

        private static int narrow(byte[] cells, int i) {
            return (int) INT.get(cells, i * Cell.NARROW_BYTES) & PLACE;
        }

        private boolean close(int column, byte[] cells) {
            int least = 0xFF;
            int most = 0;
            for (int i = 0; i < STEPS; i++) {
                int cell = narrow(cells, i);
                if (cell != 0 && !Cell.isGap(cell)) {
                    // With the sign in front a negative number is far from any other.
                    int exponent = cell >>> 15;
                    least = Math.min(least, exponent);
                    most = Math.max(most, exponent);
                }
            }
            if (most - least >= BINADES || most > 0xFF) {
                return false;
            }
            word(column, CLOSE, end);
            room(1 + 2 * STEPS);
            buffer[end++] = (byte) least;
            for (int i = 0; i < STEPS; i++) {
                int cell = narrow(cells, i);
                int code = cell == 0
                        ? OTHER
                        : Cell.isGap(cell) ? OTHER + 1 + Cell.reason(cell).ordinal() : (cell >>> 2) - (least << 13);
                SHORT.set(buffer, end, (short) code);
                end += 2;
            }
            return true;
        }

        void exact(int column, byte[] cells) {
            if (!counted(column, cells, 1, WHOLE) && !counted(column, cells, 100, HUNDREDTHS)) {
                word(column, EXACT, end);
                copy(cells, STEPS * Cell.EXACT_BYTES);
            }
        }

        /** Whether all numbers are whole, after multiplication, and near enough to each other. */
        private boolean counted(int column, byte[] cells, int unit, int kind) {
            long least = Long.MAX_VALUE;
            long most = Long.MIN_VALUE;
            for (int i = 0; i < STEPS; i++) {
                double value = Double.longBitsToDouble((long) LONG.get(cells, 8 * i));
                if (!Double.isNaN(value)) {
                    double scaled = Math.rint(value * unit);
                    boolean kept = Math.abs(scaled) < 1L << 53
                            && Double.doubleToRawLongBits(scaled / unit) == Double.doubleToRawLongBits(value);
                    if (!kept) {
                        return false;
                    }
                    least = Math.min(least, (long) scaled);
                    most = Math.max(most, (long) scaled);
                }
            }
            int size = 0;
            while (size < 3 && most - least >= Block.room(size)) {
                size++;
            }
            if (size == 3 || most < least) {
                return false;
            }
            word(column, kind + size, end);
            room(8 + STEPS * 4);
            LONG.set(buffer, end, least);
            end += 8;
            for (int i = 0; i < STEPS; i++) {
                long cell = (long) LONG.get(cells, 8 * i);
                double value = Double.longBitsToDouble(cell);
                long code = Double.isNaN(value)
                        ? Block.room(size) + Cell.reason(cell).ordinal()
                        : (long) Math.rint(value * unit) - least;
                put(code, size);
            }
            return true;
        }

        private void put(long code, int size) {
            if (size == 0) {
                buffer[end] = (byte) code;
            } else if (size == 1) {
                SHORT.set(buffer, end, (short) code);
            } else {
                INT.set(buffer, end, (int) code);
            }
            end += 1 << size;
        }

        /** What moved in the sixty cells; a histogram without movement takes no place. */
        void moved(int column, @Nullable Moves moves) {
            if (moves == null || moves.isEmpty(STEPS)) {
                return;
            }
            word(column, MOVED, end);
            for (int i = 0; i < STEPS; i++) {
                int length = moves.length(i);
                room(10 + length);
                end = Moves.write(length, buffer, end);
                moves.copy(i, buffer, end);
                end += length;
            }
        }

        private void copy(byte[] cells, int length) {
            room(length);
            System.arraycopy(cells, 0, buffer, end, length);
            end += length;
        }

        private void word(int column, int kind, int place) {
            // Sixteen megabytes for a quarter of an hour is no exporter that means well: the rest become gaps.
            INT.set(buffer, 4 + 4 * column, place > PLACE ? NOTHING : kind << 24 | place);
        }

        private void room(int more) {
            if (end + more > buffer.length) {
                buffer = Arrays.copyOf(buffer, Math.max(end + more, 2 * buffer.length));
            }
        }
    }
}
