package dev.stagesim.predict;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.model.StageException;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.DoubleSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class TableTimesTest {
    private final TableTimes times = TableTimes.builder(64)
            .add(Operator.ATTN_PRE_PROJ, 1, 10, 0.5)
            .add(Operator.ATTN_PRE_PROJ, 11, 20, 0.75)
            .add(Operator.SCHEDULE, 1, 4, 0.1)
            .add(Operator.ATTN_DECODE, 1, 2, 0, 128, 1.5)
            .add(Operator.ATTN_DECODE, 1, 1, 192, 192, 2.5)
            .add(Operator.ATTN_DECODE, 2, 2, 192, 192, 3.5)
            .add(Operator.ATTN_PREFILL, 0, 192, 1, 100, 4.5)
            .build();

    @Test
    void findsEveryKeyOfARun() {
        assertThat(times.milliseconds(Operator.ATTN_PRE_PROJ, 10)).isEqualTo(0.5);
        assertThat(times.milliseconds(Operator.ATTN_PRE_PROJ, 11)).isEqualTo(0.75);
        assertThat(times.decodeMilliseconds(2, 128)).isEqualTo(1.5);
        assertThat(times.decodeMilliseconds(1, 192)).isEqualTo(2.5);
        assertThat(times.decodeMilliseconds(2, 192)).isEqualTo(3.5);
        assertThat(times.prefillMilliseconds(192, 100)).isEqualTo(4.5);
        assertThat(times.coverage()).isEqualTo(new OperatorTimes.Coverage(20, 2, 192, 100, 64));
    }

    @Test
    void reportsOperatorKeyAndRangeBeyondTheTable() {
        assertThatThrownBy(() -> times.milliseconds(Operator.ATTN_PRE_PROJ, 21))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("attn_pre_proj: token count 21 is outside 1 to 20");
        assertThatThrownBy(() -> times.decodeMilliseconds(3, 0)).hasMessageContaining("batch size 3");
        assertThatThrownBy(() -> times.decodeMilliseconds(1, 256)).hasMessageContaining("KV length 256");
        assertThatThrownBy(() -> times.prefillMilliseconds(0, 101)).hasMessageContaining("chunk 101");
        assertThatThrownBy(() -> times.milliseconds(Operator.ADD, 1)).hasMessageContaining("do not have this operator");
    }

    /**
     * Compares random overlapping ranges with a table that has a cell for every key. Later ranges replace earlier ones.
     */
    @Test
    void replacesOverlappingRowsInOrder() {
        compareTables(10);
    }

    @Test
    @Tag("long")
    void replacesOverlappingRowsInManyTables() {
        compareTables(200);
    }

    private static void compareTables(int draws) {
        SplittableRandom random = new SplittableRandom(3);
        for (int draw = 0; draw < draws; draw++) {
            int granularity = 1 << random.nextInt(7);
            TableTimes.Builder builder = TableTimes.builder(granularity);
            double[][] decode = new double[20][400];
            double[][] prefill = new double[400][90];
            for (double[] row : decode) {
                Arrays.fill(row, Double.NaN);
            }
            for (double[] row : prefill) {
                Arrays.fill(row, Double.NaN);
            }
            for (int i = random.nextInt(1, 12); i >= 0; i--) {
                add(builder, Operator.ATTN_DECODE, decode, random, i);
                add(builder, Operator.ATTN_PREFILL, prefill, random, i + 0.5);
            }
            TableTimes drawn = builder.build();
            OperatorTimes.Coverage in = drawn.coverage();
            for (int kv = 0; kv <= in.maxKvTokens(); kv += granularity) {
                for (int batch = 1; batch <= in.maxBatch(); batch++) {
                    int b = batch;
                    int k = kv;
                    same(decode[batch][kv], () -> drawn.decodeMilliseconds(b, k));
                }
                for (int chunk = 1; chunk <= in.maxChunkTokens(); chunk++) {
                    int c = chunk;
                    int k = kv;
                    same(prefill[kv][chunk], () -> drawn.prefillMilliseconds(k, c));
                }
            }
        }
    }

    private static void add(
            TableTimes.Builder builder, Operator operator, double[][] cells, SplittableRandom random, double ms) {
        int top = random.nextInt(cells.length);
        int bottom = random.nextInt(top, cells.length);
        int left = random.nextInt(cells[0].length);
        int right = random.nextInt(left, cells[0].length);
        builder.add(operator, top, bottom, left, right, ms);
        for (int y = top; y <= bottom; y++) {
            Arrays.fill(cells[y], left, right + 1, ms);
        }
    }

    private static void same(double expected, DoubleSupplier requested) {
        if (Double.isNaN(expected)) {
            assertThatThrownBy(requested::getAsDouble).isInstanceOf(StageException.class);
        } else {
            assertThat(requested.getAsDouble()).isEqualTo(expected);
        }
    }

    /** A cell for every key would take 17 GB. */
    @Test
    void usesMemoryPerRowIndependentlyOfTheRange() {
        int max = 1 << 17;
        TableTimes.Builder builder = TableTimes.builder(8);
        for (int i = 0; i < 16; i++) {
            builder.add(Operator.ATTN_PREFILL, i * (max / 16), (i + 1) * (max / 16), 1, max, i);
            builder.add(Operator.ATTN_DECODE, 1, 64 * (i + 1), 0, max, i);
        }
        TableTimes wide = builder.build();
        assertThat(wide.prefillMilliseconds(max, max)).isEqualTo(15);
        assertThat(wide.prefillMilliseconds(max / 2 - 8, 1)).isEqualTo(7);
        assertThat(wide.decodeMilliseconds(1000, max)).isEqualTo(15);
    }

    @Test
    void throwsForKeysOffTheGrid() {
        assertThatThrownBy(() -> times.decodeMilliseconds(1, 65)).isInstanceOf(IllegalStateException.class);
    }
}
