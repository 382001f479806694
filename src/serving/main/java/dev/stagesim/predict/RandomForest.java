package dev.stagesim.predict;

import dev.stagesim.predict.forest.Blocks;
import dev.stagesim.predict.forest.Draws;
import dev.stagesim.predict.forest.ForestSpec;
import dev.stagesim.predict.forest.GridSearch;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Predictor with one random forest per operator, bit-identical to Vidur's scikit-learn forests.
 *
 * <p>A forest is a step function: between and beyond measured sizes it repeats the values of its leaves. Queries beyond
 * the maximum measured size are allowed and return the last step.
 *
 * @param range keys to cover
 * @param candidates sizes for the cross-validation
 * @param folds folds of the cross-validation, at least 2
 * @param seed seed of the generator that provides the seeds of all trees
 * @param source creates numpy's legacy generators
 */
public record RandomForest(Range range, List<ForestSpec> candidates, int folds, long seed, Draws.Source source)
        implements Predictor {
    /** Operators in the reference's order of training. */
    private static final List<Operator> TRAINING_ORDER = List.of(
            Operator.ATTN_PRE_PROJ,
            Operator.ATTN_POST_PROJ,
            Operator.MLP_UP_PROJ,
            Operator.MLP_DOWN_PROJ,
            Operator.MLP_ACT,
            Operator.INPUT_LAYERNORM,
            Operator.POST_ATTENTION_LAYERNORM,
            Operator.ATTN_ROPE,
            Operator.ADD,
            Operator.ATTN_KV_CACHE_SAVE,
            Operator.SEND_RECV,
            Operator.ALL_REDUCE,
            Operator.SCHEDULE,
            Operator.SAMPLER_E2E,
            Operator.PREPARE_INPUTS_E2E,
            Operator.PROCESS_MODEL_OUTPUTS,
            Operator.RAY_COMM_TIME,
            Operator.ATTN_PREFILL,
            Operator.ATTN_DECODE);

    public RandomForest {
        candidates = List.copyOf(candidates);
    }

    /** All combinations; the number of trees varies fastest, then the minimum rows of a split, then the depth. */
    public static List<ForestSpec> grid(List<Integer> trees, List<Integer> depths, List<Integer> splits) {
        List<ForestSpec> grid = new ArrayList<>();
        for (int depth : depths) {
            for (int split : splits) {
                for (int n : trees) {
                    grid.add(new ForestSpec(n, depth, split));
                }
            }
        }
        return grid;
    }

    @Override
    public List<String> extrapolated(Profile profile) {
        return CoverageRange.extrapolated(profile, range);
    }

    @Override
    public OperatorTimes fit(Profile profile) {
        return TableTimes.of(range.kvGranularity(), train(profile));
    }

    /** Trains on the rows and predicts every key in range, in the order of training. The tables can be stored. */
    public List<PredictionTable> train(Profile profile) {
        return train(
                profile,
                TRAINING_ORDER.stream()
                        .filter(operator -> Features.present(profile, operator))
                        .toList());
    }

    /** Trains some operators, in this order. */
    public List<PredictionTable> train(Profile profile, List<Operator> operators) {
        OperatorTimes.Coverage coverage = CoverageRange.of(profile, range);
        GridSearch search = new GridSearch(candidates, folds, source.seeded(seed), source);
        List<PredictionTable> tables = new ArrayList<>();
        for (Operator operator : operators) {
            KeyGrid keys = KeyGrid.of(operator, coverage);
            Blocks blocks = search.fit(Features.of(profile, operator).rows())
                    .over(Features.single(keys.firstFeature()), Features.single(keys.secondFeature()));
            tables.add(keys.table(blocks.firstStarts(), blocks.secondStarts(), blocks.values()));
        }
        return tables;
    }

    /**
     * The keys of an operator's table.
     *
     * @param first ascending keys along the first axis
     * @param second ascending keys along the second axis; a single 0 for operators keyed by one number
     */
    @SuppressWarnings("ArrayRecordComponent") // bulk data inside the package; never compared
    private record KeyGrid(Operator operator, int[] first, int[] second) {
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

        private static int[] upTo(int last) {
            return IntStream.rangeClosed(1, last).toArray();
        }

        double[] firstFeature() {
            return Features.plain(first);
        }

        double[] secondFeature() {
            return operator.key() == Operator.Key.KV_AND_CHUNK ? Features.squared(second) : Features.plain(second);
        }

        /**
         * Builds a table in which each block of keys has one value. Adjacent blocks with equal values along the second
         * axis become one row.
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
                                from,
                                to,
                                second[secondStarts[runStart]],
                                lastKey(second, secondStarts, column - 1),
                                value);
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
}
