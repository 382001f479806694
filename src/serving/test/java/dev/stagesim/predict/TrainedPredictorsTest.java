package dev.stagesim.predict;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.model.StageException;
import dev.stagesim.predict.forest.Forest;
import dev.stagesim.predict.forest.ForestSpec;
import dev.stagesim.predict.forest.GridSearch;
import dev.stagesim.predict.forest.Numpy;
import dev.stagesim.predict.linear.LinearSpec;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class TrainedPredictorsTest {
    private static final Range RANGE =
            new Range(64, OptionalInt.of(40), OptionalInt.of(5), OptionalInt.of(200), OptionalInt.of(30));

    private static Curve line(int rows, double slope) {
        double[] sizes = IntStream.rangeClosed(1, rows).asDoubleStream().toArray();
        return new Curve(sizes, Arrays.stream(sizes).map(x -> slope * x).toArray());
    }

    private static Profile profile() {
        Map<Operator, Curve> curves = new EnumMap<>(Operator.class);
        curves.put(Operator.ADD, line(32, 0.5));
        curves.put(Operator.ATTN_PRE_PROJ, line(32, 2));
        curves.put(Operator.SCHEDULE, line(8, 1));
        int[] kv = IntStream.range(0, 64).map(i -> i % 8 * 40).toArray();
        int[] counts = IntStream.range(0, 64).map(i -> 1 + i / 8 * 4).toArray();
        double[] prefill = IntStream.range(0, 64)
                .mapToDouble(i -> 1 + 0.01 * kv[i] + counts[i] * counts[i])
                .toArray();
        double[] decode = IntStream.range(0, 64)
                .mapToDouble(i -> 2 + 0.001 * kv[i] * counts[i])
                .toArray();
        return new Profile("p", curves, new Surface(kv, counts, prefill), new Surface(kv, counts, decode));
    }

    private static RandomForest forest(Range range, long seed) {
        return new RandomForest(range, List.of(new ForestSpec(20, 8, 2)), 5, seed, Numpy.SOURCE);
    }

    @Test
    void predictsWithAForestOnlyInItsRange() {
        OperatorTimes times = forest(RANGE, 42).fit(profile());
        assertThat(times.coverage()).isEqualTo(new OperatorTimes.Coverage(40, 5, 192, 30, 64));
        assertThat(times.milliseconds(Operator.ADD, 16)).isCloseTo(8, within(0.6));
        assertThat(times.milliseconds(Operator.ADD, 40))
                .as("the last step continues")
                .isEqualTo(times.milliseconds(Operator.ADD, 33));
        assertThat(times.prefillMilliseconds(128, 13)).isCloseTo(171, within(60.0));
        assertThat(times.decodeMilliseconds(5, 192)).isCloseTo(2.96, within(0.4));
        assertThatThrownBy(() -> times.milliseconds(Operator.ADD, 41)).isInstanceOf(StageException.class);
        assertThatThrownBy(() -> times.prefillMilliseconds(0, 31)).isInstanceOf(StageException.class);
        assertThatThrownBy(() -> times.milliseconds(Operator.ALL_REDUCE, 1)).isInstanceOf(StageException.class);
    }

    /**
     * Covers all pairs of 131,072 lengths and 131,072 chunks. The table has one cell per region between the thresholds
     * of the forest.
     */
    @Test
    void matchesTheForestInTablesOf128kBy128k() {
        int max = 1 << 17;
        Range range = new Range(1, OptionalInt.of(max), OptionalInt.of(64), OptionalInt.of(max), OptionalInt.of(max));
        int[] kv = IntStream.range(0, 17 * 17)
                .map(i -> i / 17 == 0 ? 0 : 1 << (i / 17 + 1))
                .toArray();
        int[] counts = IntStream.range(0, 17 * 17).map(i -> 1 << (i % 17 + 1)).toArray();
        double[] times = IntStream.range(0, 17 * 17)
                .mapToDouble(i -> 0.1 + 1e-9 * counts[i] * (kv[i] + counts[i]) + (i * 37 % 11) * 1e-3)
                .toArray();
        Surface surface = new Surface(kv, counts, times);
        Profile profile = new Profile("p", Map.of(Operator.ADD, line(32, 0.5)), surface, surface);
        List<PredictionTable> tables = forest(range, 42).train(profile, List.of(Operator.ATTN_PREFILL));
        OperatorTimes found = TableTimes.of(1, tables);
        Forest own = new GridSearch(List.of(new ForestSpec(20, 8, 2)), 5, Numpy.SOURCE.seeded(42), Numpy.SOURCE)
                .fit(Features.of(profile, Operator.ATTN_PREFILL).rows());
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 20_000; i++) {
            int length = i < 2 ? i * max : random.nextInt(max >> random.nextInt(17)) + 1;
            int chunk = i < 2 ? 1 + i * (max - 1) : random.nextInt(max >> random.nextInt(17)) + 1;
            assertThat(found.prefillMilliseconds(length, chunk))
                    .as("%d, %d", length, chunk)
                    .isEqualTo(own.at(length, (float) ((double) chunk * chunk)));
        }
        assertThat(tables.get(0).rows()).isBetween(100, 100_000);
    }

    @Test
    void coversTheMeasuredSizesWithoutARange() {
        assertThat(forest(Range.measured(64), 42).fit(profile()).coverage())
                .isEqualTo(new OperatorTimes.Coverage(32, 8, 256, 29, 64));
    }

    @Test
    void trainsOperatorsInOrderFromOneGenerator() {
        List<PredictionTable> all = forest(RANGE, 42).train(profile());
        assertThat(all.stream().map(PredictionTable::operator))
                .containsExactly(
                        Operator.ATTN_PRE_PROJ,
                        Operator.ADD,
                        Operator.SCHEDULE,
                        Operator.ATTN_PREFILL,
                        Operator.ATTN_DECODE);
        PredictionTable alone =
                forest(RANGE, 42).train(profile(), List.of(Operator.ADD)).get(0);
        PredictionTable first =
                forest(RANGE, 42).train(profile(), List.of(Operator.ADD)).get(0);
        PredictionTable other =
                forest(RANGE, 43).train(profile(), List.of(Operator.ADD)).get(0);
        assertThat(times(alone)).containsExactly(times(first));
        assertThat(times(alone)).isNotEqualTo(times(all.get(1))).isNotEqualTo(times(other));
    }

    private static double[] times(PredictionTable table) {
        return IntStream.range(0, table.rows()).mapToDouble(table::milliseconds).toArray();
    }

    @Test
    void variesTreesFastestInTheGrid() {
        assertThat(RandomForest.grid(List.of(1, 2), List.of(8, 9), List.of(2, 3)))
                .startsWith(new ForestSpec(1, 8, 2), new ForestSpec(2, 8, 2), new ForestSpec(1, 8, 3))
                .endsWith(new ForestSpec(2, 9, 3))
                .hasSize(8);
        List<Boolean> both = List.of(true, false);
        assertThat(LinearRegression.grid(both, List.of(1, 2), both, both))
                .startsWith(new LinearSpec(true, 1, true, true), new LinearSpec(true, 1, true, false))
                .endsWith(new LinearSpec(false, 2, false, false))
                .hasSize(16);
    }

    @Test
    void evaluatesPolynomialsAtEveryKey() {
        LinearSpec square = new LinearSpec(true, 2, true, false);
        OperatorTimes times = new LinearRegression(RANGE, List.of(square), 5, false).fit(profile());
        assertThat(times.milliseconds(Operator.ADD, 40)).isCloseTo(20, within(1e-9));
        assertThat(times.prefillMilliseconds(128, 13)).isCloseTo(1 + 1.28 + 169, within(1e-6));
        assertThat(times.decodeMilliseconds(5, 192)).isCloseTo(2.96, within(1e-9));
        assertThat(times.milliseconds(Operator.SCHEDULE, 5)).isCloseTo(5, within(1e-9));
        assertThatThrownBy(() -> times.milliseconds(Operator.SCHEDULE, 6)).hasMessageContaining("batch size 6");
        assertThatThrownBy(() -> times.decodeMilliseconds(1, 256)).hasMessageContaining("KV length 256");
        assertThatThrownBy(() -> times.milliseconds(Operator.ALL_REDUCE, 1)).isInstanceOf(StageException.class);
    }

    @Test
    void keepsNegativeTimesOnlyOnRequest() {
        Map<Operator, Curve> curves = new EnumMap<>(Operator.class);
        curves.put(Operator.ADD, new Curve(new double[] {10, 20, 30, 40}, new double[] {0, 5, 10, 15}));
        Profile profile =
                new Profile("p", curves, profile().prefill(), profile().decode());
        List<LinearSpec> line = List.of(new LinearSpec(true, 1, false, false));
        assertThat(new LinearRegression(RANGE, line, 2, false).fit(profile).milliseconds(Operator.ADD, 1))
                .isZero();
        assertThat(new LinearRegression(RANGE, line, 2, true).fit(profile).milliseconds(Operator.ADD, 1))
                .isCloseTo(-4.5, within(1e-9));
    }

    @Test
    void predictsHeldOutSizes() {
        for (Learner learner : List.of(
                Learners.forest(new ForestSpec(20, 8, 2), 42, Numpy.SOURCE),
                Learners.linear(List.of(new LinearSpec(true, 2, true, false)), 5))) {
            Map<Operator, HeldOut.Error> errors = HeldOut.errors(profile(), learner);
            assertThat(errors)
                    .containsOnlyKeys(
                            Operator.ADD, Operator.ATTN_PRE_PROJ, Operator.ATTN_PREFILL, Operator.ATTN_DECODE);
            assertThat(errors.get(Operator.ATTN_DECODE).mean()).isLessThan(15);
        }
    }
}
