package dev.stagesim.sim.systolic;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.stagesim.sim.systolic.order.ArraySpans;
import dev.stagesim.sim.systolic.order.Stream;
import dev.stagesim.sim.systolic.spec.ArraySpec;
import dev.stagesim.sim.systolic.spec.Dataflow;
import dev.stagesim.sim.systolic.spec.LayerShape;
import dev.stagesim.sim.systolic.spec.MemoryMode;
import dev.stagesim.sim.systolic.spec.OperandMemory;
import dev.stagesim.sim.systolic.spec.ScaleSimCompat;
import dev.stagesim.sim.systolic.spec.SparseSpec;
import dev.stagesim.sim.systolic.spec.TrafficSpan;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Skipped periods do not change results, and memory does not grow with the layer. */
final class LargeLayersTest {
    private static final long MAX_BYTES = 3L << 20;

    @RepeatedTest(150)
    void matchesTheWalkWithSkippedPeriods(RepetitionInfo info) {
        Random random = new Random(info.getCurrentRepetition());
        int size = 20 + random.nextInt(30);
        int filter = 1 + random.nextInt(4);
        int stride = 1 + random.nextInt(3);
        LayerShape layer = SystolicArrayTest.convolution(
                size * 2,
                size,
                filter,
                1 + random.nextInt(4),
                1 + random.nextInt(4),
                1 + random.nextInt(40),
                Map.of("strideHeight", stride, "strideWidth", 1 + random.nextInt(2)));
        Dataflow dataflow = Dataflow.values()[random.nextInt(3)];
        ArraySpec array = SystolicArrayTest.array(
                dataflow, MemoryMode.CALC, 1 + random.nextInt(40), 1 + random.nextInt(8), 1, ScaleSimCompat.NONE);
        LayerRun run = new LayerRun(array, layer, RunListener.NONE);
        Stream image = run.image;
        long first = ArraySpans.first(image);
        TrafficSpan whole = CalcReads.walk(image, 1024, layer.imageWords(), first, Optional.empty());
        assertThat(CalcReads.walk(image, 1024, layer.imageWords(), first, Optional.of(run)))
                .isEqualTo(whole);
        if (layer.windowedWords() < 500) {
            assertThat(CalcReads.once(image, 1024, layer.windowedWords(), first))
                    .isEqualTo(whole);
        }
    }

    @RepeatedTest(60)
    void matchesALoopOfAdditions(RepetitionInfo info) {
        Random random = new Random(info.getCurrentRepetition());
        double inner = random.nextInt(1000) / (1.0 + random.nextInt(128));
        double last = random.nextInt(1000) / (1.0 + random.nextInt(128));
        int rows = random.nextInt(2000);
        int columns = random.nextInt(300);
        double plain = 0;
        for (int column = 0; column < columns; column++) {
            for (int row = 0; row < rows; row++) {
                plain += inner;
            }
            plain += last;
        }
        double sum = RepeatedSum.repeat(0, columns, at -> RepeatedSum.add(at, inner, rows) + last);
        assertThat(sum).isEqualTo(plain);
    }

    private static long allocated(ArraySpec array, LayerShape layer) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        assertThat(SystolicArray.simulate(array, layer).totalCycles()).isPositive();
        return threads.getCurrentThreadAllocatedBytes() - before;
    }

    @ParameterizedTest
    @EnumSource(Dataflow.class)
    void countsProductsOfAnySizeWithoutMemory(Dataflow dataflow) {
        ArraySpec array = SystolicArrayTest.array(dataflow, MemoryMode.CALC, 128, 128, 1, ScaleSimCompat.V3);
        for (LayerShape layer : List.of(
                LayerShape.gemm("m", 2_000_000_000, 2000, 2000),
                LayerShape.gemm("n", 2000, 2_000_000_000, 2000),
                LayerShape.gemm("k", 2000, 2000, 2_000_000_000))) {
            assertThat(allocated(array, layer)).isLessThan(MAX_BYTES);
        }
    }

    /** An enumerated fetch order would take 8 bytes for each of at least a million entries. */
    @ParameterizedTest
    @EnumSource(Dataflow.class)
    void needsNoMemoryPerWordWithAGivenBandwidth(Dataflow dataflow) {
        LayerShape cut =
                SystolicArrayTest.convolution(200, 200, 3, 3, 14, 16, Map.of("strideHeight", 2, "strideWidth", 2));
        assertThat(cut.hasPartialWindows()).isTrue();
        assertThat(allocated(user(dataflow, Optional.empty()), cut)).isLessThan(MAX_BYTES);
        LayerShape overlapping = SystolicArrayTest.convolution(120, 120, 3, 3, 14, 16, Map.of("kept", 2, "block", 4));
        SparseSpec sparse = new SparseSpec(SparseSpec.Format.CSR, false, 1, 0);
        assertThat(allocated(user(dataflow, Optional.of(sparse)), overlapping)).isLessThan(MAX_BYTES);
        SparseSpec rowWise = new SparseSpec(SparseSpec.Format.CSR, true, 8, 0);
        LayerShape product = LayerShape.gemm("d", 60, dataflow == Dataflow.WS ? 5000 : 100_000, 8);
        assertThat(allocated(user(dataflow, Optional.of(rowWise)), product)).isLessThan(MAX_BYTES);
    }

    private static ArraySpec user(Dataflow dataflow, Optional<SparseSpec> sparse) {
        OperandMemory memory = OperandMemory.plain(16, 0, 32, 32);
        return new ArraySpec(32, 32, dataflow, MemoryMode.USER, memory, memory, memory, sparse, ScaleSimCompat.NONE);
    }
}
