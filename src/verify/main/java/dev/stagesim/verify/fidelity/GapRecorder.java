package dev.stagesim.verify.fidelity;

import dev.stagesim.sim.serving.replica.ServingRecorder;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;

/**
 * Records gaps between transmissions to the client in milliseconds. When the array is full, it keeps every second gap, then
 * every fourth, and so on.
 *
 * <p>An engine transmits every {@code interval} steps. SGLang instead transmits after a step if the tokens of the request are
 * one more than a multiple of the interval, so a step with several accepted drafts can skip a transmission.
 */
final class GapRecorder implements ServingRecorder {
    private static final int MAX_VALUES = 1 << 16;

    /** Steps per recorded gap between transmissions. A gap is a sum of {@code interval} steps. */
    private static final int GAP_STEPS = 3;

    private final boolean isByLength;
    private double[] values = new double[1024];
    private int size;
    private long seen;
    private long stride = 1;

    /** Latencies of the last steps; requests that share them get their tokens together. */
    private final double[] last;

    private int steps;
    private double sum;
    private double stepEnd = Double.NaN;
    private double stepSeconds;
    private int stepTokens;

    /** Tokens of each request, the time of the last one, and the time of the last transmission. */
    private int[] lengths = new int[64];

    private double[] tokenAt = new double[64];
    private double[] sentAt = new double[64];

    /** Creates a recorder; {@code isByLength} selects SGLang's rule. */
    GapRecorder(int interval, boolean isByLength) {
        last = new double[interval];
        this.isByLength = isByLength && interval > 1;
    }

    @Override
    public Set<Signal> signals() {
        return EnumSet.of(isByLength ? Signal.TOKENS : Signal.LATENCIES);
    }

    @Override
    public void tokenEmitted(int request, int index, double time) {
        if (!isByLength) {
            return;
        }
        if (request >= lengths.length) {
            int capacity = 2 * request;
            lengths = Arrays.copyOf(lengths, capacity);
            tokenAt = Arrays.copyOf(tokenAt, capacity);
            sentAt = Arrays.copyOf(sentAt, capacity);
        }
        boolean isFirst = index == 0;
        if (isFirst || (time > tokenAt[request] && lengths[request] % last.length == 1)) {
            if (tokenAt[request] > sentAt[request]) {
                add(tokenAt[request] - sentAt[request]);
            }
            sentAt[request] = isFirst ? time : tokenAt[request];
        }
        tokenAt[request] = time;
        lengths[request] = index + 1;
    }

    @Override
    public void decodeLatencies(double seconds, int count, double time) {
        if (seconds <= 0) {
            return; // a further token of the same step
        }
        if (last.length == 1) {
            repeat(seconds, count);
        } else if (time == stepEnd) {
            stepTokens += count;
        } else {
            endStep();
            stepEnd = time;
            stepSeconds = seconds;
            stepTokens = count;
        }
    }

    private void endStep() {
        int at = steps++ % last.length;
        sum += stepSeconds - last[at];
        last[at] = stepSeconds;
        if (steps > last.length && steps % GAP_STEPS == 0) {
            repeat(sum, stepTokens);
        }
    }

    private void repeat(double seconds, int count) {
        for (int i = 0; i < count; i++) {
            add(seconds);
        }
    }

    private void add(double seconds) {
        if (seen++ % stride != 0) {
            return;
        }
        if (size == values.length) {
            if (size < MAX_VALUES) {
                values = Arrays.copyOf(values, 2 * size);
            } else {
                size /= 2;
                for (int i = 0; i < size; i++) {
                    values[i] = values[2 * i];
                }
                stride *= 2;
            }
        }
        values[size++] = seconds * LoadRun.MS;
    }

    double[] values() {
        return Arrays.copyOf(values, size);
    }
}
