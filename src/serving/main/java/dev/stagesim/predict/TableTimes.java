package dev.stagesim.predict;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Operator times from tables computed by another program, without interpolation.
 *
 * <p>Stored as arrays of 8 bytes per key in range of one number, and per cell between the borders of rows with two
 * keys.
 */
public final class TableTimes implements OperatorTimes {
    private static final double[] NONE = new double[0];

    private final Map<Operator, double[]> single;
    private final Grid decode;
    private final Grid prefill;
    private final Coverage coverage;

    private TableTimes(Map<Operator, double[]> single, Grid decode, Grid prefill, Coverage coverage) {
        this.single = single;
        this.decode = decode;
        this.prefill = prefill;
        this.coverage = coverage;
    }

    /** Starts a table with KV lengths that are multiples of {@code kvGranularity}. */
    public static Builder builder(int kvGranularity) {
        return new Builder(kvGranularity);
    }

    /** Times from tables; if rectangles overlap, the later one applies. */
    public static TableTimes of(int kvGranularity, List<PredictionTable> tables) {
        Builder builder = builder(kvGranularity);
        for (PredictionTable table : tables) {
            for (int i = 0; i < table.rows(); i++) {
                builder.add(
                        table.operator(),
                        table.from(i),
                        table.to(i),
                        table.secondFrom(i),
                        table.secondTo(i),
                        table.milliseconds(i));
            }
        }
        return builder.build();
    }

    @Override
    public double milliseconds(Operator operator, int count) {
        double[] table = single.getOrDefault(operator, NONE);
        if (table.length == 0) {
            throw NotCovered.missing(operator);
        }
        if (count < 0 || count >= table.length) {
            throw NotCovered.beyond(operator, keyName(operator), count, 1, table.length - 1L);
        }
        if (Double.isNaN(table[count])) {
            throw NotCovered.hole(operator, keyName(operator) + " " + count);
        }
        return table[count];
    }

    private static String keyName(Operator operator) {
        return operator.key() == Operator.Key.REQUESTS ? "batch size" : "token count";
    }

    @Override
    public double decodeMilliseconds(int batch, int kvTokens) {
        Operator operator = Operator.ATTN_DECODE;
        if (decode.isEmpty()) {
            throw NotCovered.missing(operator);
        }
        if (batch < 1 || batch > coverage.maxBatch()) {
            throw NotCovered.beyond(operator, "batch size", batch, 1, coverage.maxBatch());
        }
        return present(operator, decode.at(batch, kvStep(operator, kvTokens)), "batch size", batch, kvTokens);
    }

    @Override
    public double prefillMilliseconds(int kvTokens, int chunkTokens) {
        Operator operator = Operator.ATTN_PREFILL;
        if (prefill.isEmpty()) {
            throw NotCovered.missing(operator);
        }
        if (chunkTokens < 1 || chunkTokens > coverage.maxChunkTokens()) {
            throw NotCovered.beyond(operator, "chunk", chunkTokens, 1, coverage.maxChunkTokens());
        }
        return present(operator, prefill.at(kvStep(operator, kvTokens), chunkTokens), "chunk", chunkTokens, kvTokens);
    }

    private int kvStep(Operator operator, int kvTokens) {
        if (kvTokens < 0 || kvTokens > coverage.maxKvTokens()) {
            throw NotCovered.beyond(operator, "KV length", kvTokens, 0, coverage.maxKvTokens());
        }
        if (kvTokens % coverage.kvGranularity() != 0) {
            throw new IllegalStateException(kvTokens + " is not a multiple of " + coverage.kvGranularity());
        }
        return kvTokens / coverage.kvGranularity();
    }

    private static double present(Operator operator, double ms, String key, int count, int kvTokens) {
        if (Double.isNaN(ms)) {
            throw NotCovered.hole(operator, key + " " + count + " with KV length " + kvTokens);
        }
        return ms;
    }

    @Override
    public Coverage coverage() {
        return coverage;
    }

    /** Collects table rows, each a rectangle of keys with one time. */
    public static final class Builder {
        private final int granularity;
        private final Map<Operator, Rows> rows = new EnumMap<>(Operator.class);

        private Builder(int granularity) {
            this.granularity = granularity;
        }

        /** Adds keys {@code from} to {@code to}, inclusive, of an operator keyed by one number. */
        public Builder add(Operator operator, int from, int to, double ms) {
            return add(operator, from, to, 0, 0, ms);
        }

        /**
         * Adds a rectangle of keys, inclusive: batch by KV length for decode, KV length by chunk for prefill. KV
         * lengths between multiples of the granularity are ignored.
         */
        public Builder add(Operator operator, int from, int to, int secondFrom, int secondTo, double ms) {
            rows.computeIfAbsent(operator, o -> new Rows()).add(from, to, secondFrom, secondTo, ms);
            return this;
        }

        public TableTimes build() {
            Map<Operator, double[]> single = new EnumMap<>(Operator.class);
            rows.forEach((operator, collected) -> {
                if (operator.key() == Operator.Key.TOKENS || operator.key() == Operator.Key.REQUESTS) {
                    single.put(operator, collected.line());
                }
            });
            Rows decodes = of(Operator.ATTN_DECODE);
            Rows prefills = of(Operator.ATTN_PREFILL);
            int maxKv = Math.max(decodes.mostSecond(), prefills.mostFirst());
            int maxTokens = Math.max(1, of(Operator.ATTN_PRE_PROJ).mostFirst());
            Coverage coverage = new Coverage(maxTokens, decodes.mostFirst(), maxKv, prefills.mostSecond(), granularity);
            int kvSteps = maxKv / granularity + 1;
            Grid decode = decodes.grid(coverage.maxBatch() + 1, kvSteps, 1, granularity);
            Grid prefill = prefills.grid(kvSteps, coverage.maxChunkTokens() + 1, granularity, 1);
            return new TableTimes(single, decode, prefill, coverage);
        }

        private Rows of(Operator operator) {
            return rows.getOrDefault(operator, new Rows());
        }
    }

    /** Rows of one operator, five numbers each. */
    private static final class Rows {
        private int[] keys = new int[64];
        private double[] values = new double[16];
        private int count;

        void add(int from, int to, int secondFrom, int secondTo, double ms) {
            if (count == values.length) {
                keys = Arrays.copyOf(keys, keys.length * 2);
                values = Arrays.copyOf(values, values.length * 2);
            }
            keys[4 * count] = from;
            keys[4 * count + 1] = to;
            keys[4 * count + 2] = secondFrom;
            keys[4 * count + 3] = secondTo;
            values[count++] = ms;
        }

        int mostFirst() {
            return max(1);
        }

        int mostSecond() {
            return max(3);
        }

        private int max(int column) {
            int max = 0;
            for (int i = 0; i < count; i++) {
                max = Math.max(max, keys[4 * i + column]);
            }
            return max;
        }

        double[] line() {
            double[] table = new double[mostFirst() + 1];
            Arrays.fill(table, Double.NaN);
            for (int i = 0; i < count; i++) {
                Arrays.fill(table, keys[4 * i], keys[4 * i + 1] + 1, values[i]);
            }
            return table;
        }

        /** The rows as a grid with this many keys down and across. */
        Grid grid(int height, int width, int stepDown, int stepAcross) {
            if (count == 0) {
                return Grid.EMPTY;
            }
            int[] rows = new int[height + 1];
            int[] columns = new int[width + 1];
            for (int i = 0; i < count; i++) {
                rows[ceil(keys[4 * i], stepDown)] = 1;
                rows[keys[4 * i + 1] / stepDown + 1] = 1;
                columns[ceil(keys[4 * i + 2], stepAcross)] = 1;
                columns[keys[4 * i + 3] / stepAcross + 1] = 1;
            }
            Arrays.parallelPrefix(rows, Integer::sum);
            Arrays.parallelPrefix(columns, Integer::sum);
            int across = columns[width] + 1;
            double[] cells = new double[Math.multiplyExact(rows[height] + 1, across)];
            Arrays.fill(cells, Double.NaN);
            for (int i = 0; i < count; i++) {
                int left = columns[ceil(keys[4 * i + 2], stepAcross)];
                int right = columns[keys[4 * i + 3] / stepAcross + 1];
                int end = rows[keys[4 * i + 1] / stepDown + 1];
                for (int y = rows[ceil(keys[4 * i], stepDown)]; y < end; y++) {
                    Arrays.fill(cells, y * across + left, y * across + right, values[i]);
                }
            }
            return new Grid(rows, columns, across, cells);
        }

        private static int ceil(int key, int step) {
            return (key + step - 1) / step;
        }
    }

    /**
     * Times by two keys, with one cell between the borders of table rows, so memory does not depend on the range.
     *
     * @param rows by first key: row of cells
     * @param columns by second key: column of cells
     */
    @SuppressWarnings("ArrayRecordComponent") // filled once, never compared
    private record Grid(int[] rows, int[] columns, int across, double[] cells) {
        static final Grid EMPTY = new Grid(new int[0], new int[0], 0, new double[0]);

        boolean isEmpty() {
            return cells.length == 0;
        }

        double at(int first, int second) {
            return cells[rows[first] * across + columns[second]];
        }
    }
}
