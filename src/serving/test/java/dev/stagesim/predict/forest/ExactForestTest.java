package dev.stagesim.predict.forest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.io.csv.LegacyDecimal;
import dev.stagesim.io.csv.LooseTable;
import dev.stagesim.io.times.TimesFolder;
import dev.stagesim.predict.Operator;
import dev.stagesim.predict.PredictionTable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Compares every entry of forests that scikit-learn 1.2.1 trained in Vidur on our rows. */
final class ExactForestTest {
    private static final Path DATA =
            Path.of(System.getProperty("stagesim.home", ".")).resolve("tests-data/vidur/forest");
    private static final int TREES = 100;
    private static final int FOLDS = 2;

    /** The draws of the ten operators trained before: two folds and a refit each. */
    private static final int TAKEN = 10 * (FOLDS + 1) * TREES;

    private final Draws draws = Numpy.SOURCE.seeded(42);
    private final GridSearch search = new GridSearch(List.of(new ForestSpec(TREES, 16, 2)), FOLDS, draws, Numpy.SOURCE);

    private static float[] column(LooseTable table, String name, int[] rows, boolean squared) {
        float[] values = new float[rows.length];
        for (int i = 0; i < rows.length; i++) {
            double value = table.number(rows[i], name);
            values[i] = (float) (squared ? value * value : value);
        }
        return values;
    }

    private static double[] targets(LooseTable table, String name, int[] rows) {
        return IntStream.of(rows)
                .mapToDouble(row -> LegacyDecimal.parse(table.text(row, name)))
                .toArray();
    }

    private static PredictionTable expected(Operator operator) throws IOException {
        return TimesFolder.read(DATA).stream()
                .filter(table -> table.operator() == operator)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void matchesScikitLearnWithOneFeature() throws IOException {
        LooseTable table = LooseTable.read(DATA.resolve("schedule_rows.csv"));
        int[] rows = IntStream.range(0, table.size()).toArray();
        Forest.drawSeeds(draws, TAKEN);
        Forest forest = search.fit(new TrainingRows(
                new float[][] {column(table, "batch_size", rows, false)}, targets(table, "schedule", rows)));
        PredictionTable schedule = expected(Operator.SCHEDULE);
        for (int row = 0; row < schedule.rows(); row++) {
            for (int n = schedule.from(row); n <= schedule.to(row); n++) {
                assertThat(forest.at(n, 0)).as("batch of %d", n).isEqualTo(schedule.milliseconds(row));
            }
        }
    }

    @Test
    void matchesScikitLearnWithTwoFeatures() throws IOException {
        LooseTable table = LooseTable.read(DATA.resolve("attention_rows.csv"));
        Forest.drawSeeds(draws, TAKEN);
        int[] chunks = rows(table, chunk -> chunk > 0);
        Forest prefill = search.fit(new TrainingRows(
                new float[][] {
                    column(table, "kv_cache_size", chunks, false), column(table, "prefill_chunk_size", chunks, true)
                },
                targets(table, "attn_prefill", chunks)));
        int[] batches = rows(table, chunk -> chunk == 0);
        Forest decode = search.fit(new TrainingRows(
                new float[][] {
                    column(table, "batch_size", batches, false), column(table, "kv_cache_size", batches, false)
                },
                targets(table, "attn_decode", batches)));
        compare(expected(Operator.ATTN_PREFILL), 512, 1, (kv, chunk) -> prefill.at(kv, (float) chunk * chunk));
        compare(expected(Operator.ATTN_DECODE), 1, 512, decode::at);
    }

    private interface At {
        double at(int first, int second);
    }

    private static void compare(PredictionTable table, int step, int secondStep, At forest) {
        for (int row = 0; row < table.rows(); row++) {
            for (int a = table.from(row); a <= table.to(row); a += step) {
                for (int b = table.secondFrom(row); b <= table.secondTo(row); b += secondStep) {
                    assertThat(forest.at(a, b)).as("%d, %d", a, b).isEqualTo(table.milliseconds(row));
                }
            }
        }
    }

    private static int[] rows(LooseTable table, IntPredicate chunk) {
        return IntStream.range(0, table.size())
                .filter(row -> chunk.test(table.integer(row, "prefill_chunk_size")))
                .toArray();
    }
}
