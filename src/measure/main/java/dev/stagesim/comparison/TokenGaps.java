package dev.stagesim.comparison;

import dev.stagesim.serving.tables.SimulationTables;
import dev.stagesim.stats.LogHistogram;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Gaps between the tokens of selected requests, without the first token.
 *
 * @param file source table
 * @param values every {@code stride}-th gap, ascending
 * @param total number of gaps
 * @param stride 1 unless there are more than four million gaps
 * @param wholeTokens false if some gaps are between chunks of several tokens
 * @param spans gaps in the table, by request
 */
public record TokenGaps(
        String file, double[] values, long total, int stride, boolean wholeTokens, Map<Long, Span> spans) {
    private static final int MAX_VALUES = 1 << 22;

    /** Returns the gaps of a histogram, exact to 1/2048; an even sample if there are more than four million. */
    static TokenGaps of(LogHistogram counted) {
        int stride = (int) ((counted.count() + MAX_VALUES - 1) / MAX_VALUES);
        double[] values = counted.sample(Math.max(1, stride));
        return new TokenGaps(SimulationTables.TOKEN_TIMES.name(), values, counted.count(), stride, true, Map.of());
    }

    /**
     * The gaps of one request.
     *
     * @param gaps number of gaps in the table
     * @param time their sum in ns
     */
    public record Span(long gaps, long time) {
        public static final Span NONE = new Span(0, 0);

        Span plus(Span other) {
            return new Span(gaps + other.gaps, time + other.time);
        }
    }

    /** Reads the gaps of a run. */
    public interface Source {
        /**
         * Reads the gaps of some requests.
         *
         * @param tokens number of tokens to read, by request
         */
        TokenGaps read(Map<Long, Long> tokens);
    }

    /**
     * Collects gaps in bounded memory.
     *
     * <p>When the store is full, every second gap is dropped, and then only every second new gap is taken. The result is an
     * even sample of the whole run, and deterministic.
     */
    static final class Collector {
        private final int max;
        private final Map<Long, Span> spans = new HashMap<>();
        private double[] values = new double[1024];
        private int count;
        private long total;
        private int stride = 1;
        private boolean wholeTokens = true;

        Collector(int max) {
            this.max = max;
        }

        void add(long request, long gap) {
            spans.merge(request, new Span(1, gap), Span::plus);
            if (total++ % stride == 0) {
                if (count == max) {
                    halve();
                    if ((total - 1) % stride != 0) {
                        return;
                    }
                }
                values = count == values.length ? Arrays.copyOf(values, Math.min(max, 2 * count)) : values;
                values[count++] = gap;
            }
        }

        private void halve() {
            for (int i = 0; 2 * i < count; i++) {
                values[i] = values[2 * i];
            }
            count = (count + 1) / 2;
            stride *= 2;
        }

        void severalTokens() {
            wholeTokens = false;
        }

        /** Ends the collection. A full store is sorted and returned without a copy. */
        TokenGaps done(String file) {
            double[] kept = count == values.length ? values : Arrays.copyOf(values, count);
            Arrays.sort(kept);
            return new TokenGaps(file, kept, total, stride, wholeTokens, spans);
        }
    }
}
