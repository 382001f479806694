package dev.stagesim.predict;

import java.util.Arrays;

/**
 * Times of one operator over rectangles of keys, in milliseconds.
 *
 * <p>Operators keyed by one number have ranges of it; decode has batch sizes by KV lengths, prefill has KV lengths by
 * chunks. All bounds are inclusive.
 */
public final class PredictionTable {
    private static final int ENDS = 4;

    private final Operator operator;
    private int[] ends = new int[ENDS * 64];
    private double[] times = new double[64];
    private int rows;

    /** Creates an empty table. */
    public PredictionTable(Operator operator) {
        this.operator = operator;
    }

    public static boolean isKeyedByOne(Operator operator) {
        return operator.key() == Operator.Key.TOKENS || operator.key() == Operator.Key.REQUESTS;
    }

    /** Adds a rectangle. The second range is ignored for operators keyed by one number. */
    public void add(int from, int to, int secondFrom, int secondTo, double ms) {
        if (rows == times.length) {
            ends = Arrays.copyOf(ends, 2 * ends.length);
            times = Arrays.copyOf(times, 2 * times.length);
        }
        int at = ENDS * rows;
        ends[at] = from;
        ends[at + 1] = to;
        ends[at + 2] = secondFrom;
        ends[at + 3] = secondTo;
        times[rows++] = ms;
    }

    public Operator operator() {
        return operator;
    }

    public int rows() {
        return rows;
    }

    public int from(int row) {
        return ends[ENDS * row];
    }

    public int to(int row) {
        return ends[ENDS * row + 1];
    }

    public int secondFrom(int row) {
        return ends[ENDS * row + 2];
    }

    public int secondTo(int row) {
        return ends[ENDS * row + 3];
    }

    public double milliseconds(int row) {
        return times[row];
    }
}
