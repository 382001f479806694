package dev.stagesim.predict;

import java.util.stream.IntStream;

/**
 * The keys at which an operator's table is predicted.
 *
 * @param first ascending keys along the first axis
 * @param second along the second; a single 0 for operators keyed by one number
 */
@SuppressWarnings("ArrayRecordComponent") // a carrier of bulk data inside the package; nobody compares it
record KeyGrid(Operator operator, int[] first, int[] second) {
    static KeyGrid of(Operator operator, OperatorTimes.Coverage coverage) {
        int step = coverage.kvGranularity();
        int[] kv = IntStream.rangeClosed(0, coverage.maxKvTokens() / step)
                .map(i -> i * step)
                .toArray();
        return switch (operator.key()) {
            case TOKENS -> new KeyGrid(operator, upTo(coverage.maxTokens()), new int[1]);
            case REQUESTS -> new KeyGrid(operator, upTo(coverage.maxBatch()), new int[1]);
            case BATCH_AND_KV -> new KeyGrid(operator, upTo(coverage.maxBatch()), kv);
            case KV_AND_CHUNK -> new KeyGrid(operator, kv, upTo(coverage.maxChunkTokens()));
        };
    }

    private static int[] upTo(int most) {
        return IntStream.rangeClosed(1, most).toArray();
    }

    double[] firstFeature() {
        return Features.plain(first);
    }

    double[] secondFeature() {
        return operator.key() == Operator.Key.KV_AND_CHUNK ? Features.squared(second) : Features.plain(second);
    }

    /**
     * Makes a table of the values of blocks of keys; runs of equal values along the second axis become one row.
     *
     * @param firstStarts index of the first key of each block, ascending from 0
     */
    PredictionTable table(int[] firstStarts, int[] secondStarts, double[] values) {
        PredictionTable table = new PredictionTable(operator);
        int columns = secondStarts.length;
        for (int row = 0; row < firstStarts.length; row++) {
            int from = first[firstStarts[row]];
            int to = lastKey(first, firstStarts, row);
            int runStart = 0;
            for (int column = 1; column <= columns; column++) {
                double value = values[row * columns + runStart];
                if (column == columns || values[row * columns + column] != value) {
                    table.add(
                            from, to, second[secondStarts[runStart]], lastKey(second, secondStarts, column - 1), value);
                    runStart = column;
                }
            }
        }
        return table;
    }

    private static int lastKey(int[] keys, int[] starts, int block) {
        return keys[(block + 1 < starts.length ? starts[block + 1] : keys.length) - 1];
    }
}
