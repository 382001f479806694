package dev.stagesim.sim.systolic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.integers;

import dev.stagesim.sim.systolic.order.AddressMap;
import dev.stagesim.sim.systolic.order.ArraySpans;
import dev.stagesim.sim.systolic.order.RowWiseSparsity;
import dev.stagesim.sim.systolic.spec.ArraySpec;
import dev.stagesim.sim.systolic.spec.Dataflow;
import dev.stagesim.sim.systolic.spec.LayerShape;
import dev.stagesim.sim.systolic.spec.MemoryMode;
import dev.stagesim.sim.systolic.spec.OperandMemory;
import dev.stagesim.sim.systolic.spec.ScaleSimCompat;
import dev.stagesim.sim.systolic.spec.SparseSpec;
import java.util.Arrays;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

final class RowWiseSparsityTest {
    private static ArraySpec array(int rows, int block, int seed, Dataflow dataflow) {
        OperandMemory memory = OperandMemory.plain(1, 7, 4, 32);
        return new ArraySpec(
                rows,
                3,
                dataflow,
                MemoryMode.CALC,
                memory,
                memory,
                memory,
                Optional.of(new SparseSpec(SparseSpec.Format.CSR, true, block, seed)),
                ScaleSimCompat.NONE);
    }

    @Test
    void keepsTheFirstWeightsOfEachBlockOnce() {
        qt().withFixedSeed(3)
                .withExamples(300)
                .forAll(
                        integers().between(2, 9),
                        integers().between(1, 60),
                        integers().between(0, 50))
                .checkAssert((block, taps, seed) -> {
                    LayerShape layer = LayerShape.gemm("g", 2, 5, taps);
                    RowWiseSparsity rowWise = RowWiseSparsity.of(array(2 * block, block, seed, Dataflow.WS), layer)
                            .orElseThrow();
                    long kept = 0;
                    for (int filter = 0; filter < 5; filter++) {
                        TreeSet<Integer> seen = new TreeSet<>();
                        for (int row = 0; row < rowWise.rows(); row++) {
                            int tap = rowWise.original(row, filter);
                            if (tap >= 0) {
                                assertThat(tap).isLessThan(taps);
                                assertThat(tap % block).isLessThan(block / 2);
                                assertThat(seen.add(tap)).isTrue();
                            }
                        }
                        kept += seen.size();
                        assertThat(seen).contains(0);
                    }
                    assertThat(rowWise.nonZero()).isEqualTo(kept);
                });
    }

    @Test
    void readsWholeBlocksOfTheImageInEachArrayRow() {
        LayerShape layer = LayerShape.gemm("g", 1, 1, 10);
        RowWiseSparsity rowWise =
                RowWiseSparsity.of(array(4, 4, 0, Dataflow.WS), layer).orElseThrow();
        AddressMap lanes = rowWise.readsInPairs((pixel, tap) -> tap, 4);
        long[] first = new long[rowWise.lanes(4)];
        Arrays.setAll(first, lane -> lanes.at(0, lane));
        // Two blocks of four words, each for two rows of the array.
        assertThat(first).containsExactly(0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 7);
        assertThat(lanes.at(0, rowWise.lanes(4) + 1)).isEqualTo(9);
        assertThat(lanes.at(0, rowWise.lanes(4) + 2)).isEqualTo(-1);
    }

    @Test
    void matchesTheWalkWithPairedReads() {
        qt().withFixedSeed(4)
                .withExamples(400)
                .forAll(
                        integers().between(2, 8),
                        integers().between(1, 4),
                        integers().between(1, 90),
                        integers().between(1, 60))
                .checkAssert((block, blocks, taps, pixels) -> {
                    LayerShape layer = LayerShape.gemm("g", pixels, 5, taps);
                    ArraySpec array = array(block * blocks, block, 1, Dataflow.WS);
                    LayerRun run = new LayerRun(array, layer, RunListener.NONE);
                    long first = ArraySpans.first(run.image);
                    assertThat(CalcReads.readsInPairs(run.image, run.rowWise.orElseThrow(), taps, 1024, first))
                            .isEqualTo(CalcReads.walk(run.image, 1024, (long) pixels * taps, first, Optional.empty()));
                });
    }

    @Test
    void rejectsFiltersOfSeveralBlocksWhenWeightsAreNotStationary() {
        ArraySpec array = array(4, 4, 0, Dataflow.OS);
        assertThat(SystolicArray.unsupportedReason(array, LayerShape.gemm("g", 3, 3, 4)))
                .isEmpty();
        assertThat(SystolicArray.unsupportedReason(array, LayerShape.gemm("g", 3, 3, 5)))
                .isPresent();
    }
}
