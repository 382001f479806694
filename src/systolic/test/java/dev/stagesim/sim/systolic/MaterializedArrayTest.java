package dev.stagesim.sim.systolic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.Generate.enumValues;
import static org.quicktheories.generators.SourceDSL.integers;

import dev.stagesim.sim.systolic.order.Role;
import dev.stagesim.sim.systolic.spec.ArraySpec;
import dev.stagesim.sim.systolic.spec.Dataflow;
import dev.stagesim.sim.systolic.spec.LayerMetrics;
import dev.stagesim.sim.systolic.spec.LayerShape;
import dev.stagesim.sim.systolic.spec.MemoryMode;
import dev.stagesim.sim.systolic.spec.ScaleSimCompat;
import dev.stagesim.sim.systolic.spec.TrafficSpan;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.quicktheories.core.Gen;

/** Compares the kernel with a direct simulation of every port and cycle. */
final class MaterializedArrayTest {
    private static Gen<LayerShape> products() {
        return integers()
                .between(1, 40)
                .zip(integers().between(1, 40), integers().between(1, 40), (m, n, k) -> LayerShape.gemm("g", m, n, k));
    }

    /** Windows that overlap, have gaps, or extend past the edge. */
    private static Gen<LayerShape> convolutions() {
        Gen<int[]> image = integers().between(1, 9).zip(integers().between(1, 9), (h, w) -> new int[] {h, w});
        Gen<int[]> window = integers()
                .between(1, 4)
                .zip(integers().between(1, 4), integers().between(1, 3), (h, w, s) -> new int[] {h, w, s});
        Gen<int[]> depth = integers().between(1, 5).zip(integers().between(1, 12), (c, f) -> new int[] {c, f});
        return image.zip(
                window,
                depth,
                (size, filter, deep) -> SystolicArrayTest.convolution(
                        size[0],
                        size[1],
                        Math.min(filter[0], size[0]),
                        Math.min(filter[1], size[1]),
                        deep[0],
                        deep[1],
                        Map.of("strideHeight", filter[2], "strideWidth", 1 + filter[2] % 3)));
    }

    @Test
    void matchesTheWalkForProducts() {
        qt().withFixedSeed(7)
                .withExamples(150)
                .forAll(
                        enumValues(Dataflow.class),
                        products(),
                        integers().between(1, 9),
                        integers().between(1, 9))
                .checkAssert(MaterializedArrayTest::assertSame);
    }

    @Test
    void matchesTheWalkForConvolutions() {
        qt().withFixedSeed(8)
                .withExamples(150)
                .forAll(
                        enumValues(Dataflow.class),
                        convolutions(),
                        integers().between(1, 9),
                        integers().between(1, 9))
                .checkAssert(MaterializedArrayTest::assertSame);
    }

    @Test
    void tracesContainTheAddressOfEveryPort() {
        qt().withFixedSeed(9)
                .withExamples(60)
                .forAll(
                        enumValues(Dataflow.class),
                        convolutions(),
                        integers().between(1, 6),
                        integers().between(1, 6))
                .checkAssert(MaterializedArrayTest::assertTraced);
        // Windows of whole rows, with one row between them.
        assertTraced(Dataflow.OS, SystolicArrayTest.convolution(5, 3, 1, 3, 2, 4, Map.of("strideHeight", 2)), 3, 2);
    }

    private static void assertTraced(Dataflow dataflow, LayerShape layer, int rows, int columns) {
        ArraySpec array = SystolicArrayTest.array(dataflow, MemoryMode.CALC, rows, columns, 1, ScaleSimCompat.V2);
        MaterializedArray plain = new MaterializedArray(array, layer);
        Map<TraceFile, List<String>> lines = new EnumMap<>(TraceFile.class);
        Traces.write(array, layer, (file, line) -> lines.computeIfAbsent(file, f -> new ArrayList<>())
                .add(line.toString()));
        assertThat(lines.get(TraceFile.IFMAP_SRAM)).isEqualTo(plain.trace(Role.IMAGE, 1));
        assertThat(lines.get(TraceFile.FILTER_SRAM)).isEqualTo(plain.trace(Role.FILTER, 1));
        assertThat(lines.get(TraceFile.OFMAP_SRAM)).isEqualTo(plain.trace(Role.OUTPUT, 0));
    }

    private static void assertSame(Dataflow dataflow, LayerShape layer, int rows, int columns) {
        ArraySpec array = SystolicArrayTest.array(dataflow, MemoryMode.CALC, rows, columns, 1, ScaleSimCompat.V2);
        LayerMetrics figures = SystolicArray.simulate(array, layer);
        MaterializedArray plain = new MaterializedArray(array, layer);
        assertThat(figures.totalCycles()).isEqualTo(plain.cycles() - 1);
        assertThat(figures.stallCycles()).isZero();
        assertThat(SystolicArray.simulate(array.withCompat(ScaleSimCompat.NONE), layer)
                        .totalCycles())
                .isEqualTo(plain.cycles());
        // Words arrive one cycle after their request.
        assertSpan(figures.image().sram(), plain.requests(Role.IMAGE), 1);
        assertSpan(figures.filter().sram(), plain.requests(Role.FILTER), 1);
        assertSpan(figures.output().sram(), plain.requests(Role.OUTPUT), 0);
        assertThat(figures.filter().sram().words())
                .isEqualTo(plain.requests(Role.FILTER).words());
        LayerMetrics ours = SystolicArray.simulate(array.withCompat(ScaleSimCompat.NONE), layer);
        assertThat(ours.output().sram().words())
                .isEqualTo(plain.requests(Role.OUTPUT).words());
        assertThat(figures.image().dram()).isEqualTo(plain.fetches(Role.IMAGE, 1024));
        assertThat(figures.filter().dram()).isEqualTo(plain.fetches(Role.FILTER, 1024));
        assertThat(figures.output().dram()).isEqualTo(plain.drains(1024, columns));
    }

    private static void assertSpan(TrafficSpan actual, TrafficSpan requests, int latency) {
        assertThat(actual.start()).isEqualTo(requests.start() + latency);
        assertThat(actual.stop()).isEqualTo(requests.stop() + latency);
    }
}
