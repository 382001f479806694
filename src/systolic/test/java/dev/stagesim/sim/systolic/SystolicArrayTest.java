package dev.stagesim.sim.systolic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.Generate.enumValues;
import static org.quicktheories.generators.SourceDSL.integers;

import dev.stagesim.model.KeyRecord;
import dev.stagesim.sim.systolic.order.AddressMap;
import dev.stagesim.sim.systolic.order.ArraySpans;
import dev.stagesim.sim.systolic.order.ImageMap;
import dev.stagesim.sim.systolic.order.PrefetchOrder;
import dev.stagesim.sim.systolic.order.Role;
import dev.stagesim.sim.systolic.order.Stream;
import dev.stagesim.sim.systolic.order.Tiling;
import dev.stagesim.sim.systolic.spec.ArraySpec;
import dev.stagesim.sim.systolic.spec.Dataflow;
import dev.stagesim.sim.systolic.spec.LayerMetrics;
import dev.stagesim.sim.systolic.spec.LayerShape;
import dev.stagesim.sim.systolic.spec.MemoryMode;
import dev.stagesim.sim.systolic.spec.OperandMemory;
import dev.stagesim.sim.systolic.spec.ScaleSimCompat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class SystolicArrayTest {
    private static final LayerShape SMALL = LayerShape.gemm("small", 6, 5, 7);

    /** A dense layer with steps of 1, except for some components. */
    static LayerShape convolution(
            int height,
            int width,
            int filterHeight,
            int filterWidth,
            int channels,
            int filters,
            Map<String, Integer> changes) {
        Map<String, Object> values = new TreeMap<>(Map.of("strideHeight", 1, "strideWidth", 1, "kept", 1, "block", 1));
        values.putAll(Map.of("name", "c", "height", height, "width", width, "channels", channels, "filters", filters));
        values.putAll(Map.of("filterHeight", filterHeight, "filterWidth", filterWidth));
        values.putAll(changes);
        return KeyRecord.of(LayerShape.class, values);
    }

    static ArraySpec array(
            Dataflow dataflow, MemoryMode mode, int rows, int columns, int kilobytes, ScaleSimCompat compat) {
        OperandMemory memory = OperandMemory.plain(kilobytes, 0, 4, 32);
        return new ArraySpec(rows, columns, dataflow, mode, memory, memory, memory, Optional.empty(), compat);
    }

    @Test
    void countsCyclesOfEachDataflow() {
        // Folds times cycles per fold: 4 x 12, 6 x 14 and 6 x 13 on a 3 x 4 array.
        assertThat(cycles(Dataflow.OS)).isEqualTo(48);
        assertThat(cycles(Dataflow.WS)).isEqualTo(84);
        assertThat(cycles(Dataflow.IS)).isEqualTo(78);
    }

    private static long cycles(Dataflow dataflow) {
        return SystolicArray.simulate(array(dataflow, MemoryMode.CALC, 3, 4, 1, ScaleSimCompat.NONE), SMALL)
                .totalCycles();
    }

    @Test
    void reproducesTheReferenceCountOnlyInCompatMode() {
        ArraySpec array = array(Dataflow.OS, MemoryMode.CALC, 3, 4, 1, ScaleSimCompat.V2);
        LayerMetrics theirs = SystolicArray.simulate(array, SMALL);
        LayerMetrics ours = SystolicArray.simulate(array.withCompat(ScaleSimCompat.NONE), SMALL);
        assertThat(theirs.totalCycles()).isEqualTo(47);
        assertThat(ours.output().sram().words()).isEqualTo(30);
        assertThat(theirs.output().sram().words()).isEqualTo(30 + 4 * 7);
    }

    @Test
    void matchesTheWalkOverAllRequests() {
        qt().withFixedSeed(11)
                .withExamples(300)
                .forAll(
                        enumValues(Dataflow.class),
                        integers().between(1, 70),
                        integers().between(1, 70),
                        integers().between(1, 70))
                .checkAssert((dataflow, m, n, k) -> {
                    ArraySpec array = array(dataflow, MemoryMode.CALC, 3 + m % 5, 2 + n % 7, 1, ScaleSimCompat.V2);
                    LayerRun run = new LayerRun(array, LayerShape.gemm("g", m, n, k), RunListener.NONE);
                    assertReads(run.image, (long) m * k);
                    assertReads(run.filter, (long) n * k);
                    assertWrites(run, array);
                });
    }

    private static void assertReads(Stream stream, long words) {
        long first = ArraySpans.first(stream);
        assertThat(CalcReads.closedForm(stream, 1024, first))
                .isEqualTo(CalcReads.walk(stream, 1024, words, first, Optional.empty()));
    }

    private static void assertWrites(LayerRun run, ArraySpec array) {
        WriteBuffer walked = new WriteBuffer(array.output(), array.columns(), ScaleSimCompat.V2, RunListener.NONE);
        Tiling tiling = run.tiling;
        long now = 0;
        for (int columnFold = 0; columnFold < tiling.columnFolds(); columnFold++) {
            for (int rowFold = 0; rowFold < tiling.rowFolds(); rowFold++) {
                run.output.fold(rowFold, columnFold);
                for (int cycle = 0; cycle < tiling.period(); cycle++) {
                    int words = Math.max(0, run.output.highPort(cycle) - run.output.lowPort(cycle) + 1);
                    assertThat(walked.write(words, now)).isEqualTo(now);
                    now++;
                }
            }
        }
        WriteBuffer stepped = new WriteBuffer(array.output(), array.columns(), ScaleSimCompat.V2, RunListener.NONE);
        assertThat(new CalcWrites(run.output, stepped, true).span()).isEqualTo(walked.finish(now - 1));
    }

    @Test
    void findsWordsInFetchOrder() {
        qt().withFixedSeed(5)
                .withExamples(200)
                .forAll(
                        enumValues(Dataflow.class),
                        integers().between(1, 40),
                        integers().between(1, 40),
                        integers().between(1, 40))
                .checkAssert((dataflow, m, n, k) -> {
                    ArraySpec array = array(dataflow, MemoryMode.USER, 2 + k % 6, 2 + n % 5, 1, ScaleSimCompat.V2);
                    LayerShape layer = LayerShape.gemm("g", m, n, k);
                    LayerRun run = new LayerRun(array, layer, RunListener.NONE);
                    assertOrder(run, run.image, Role.IMAGE, (i, j) -> (long) i * k + j);
                    assertOrder(run, run.filter, Role.FILTER, (i, j) -> (long) j * k + i);
                });
    }

    @Test
    void findsWordsOfAnyWindowInFetchOrder() {
        qt().withFixedSeed(6)
                .withExamples(100)
                .forAll(
                        enumValues(Dataflow.class),
                        integers().between(3, 9),
                        integers().between(1, 3),
                        integers().between(1, 4))
                .checkAssert((dataflow, size, filter, channels) -> {
                    ArraySpec array =
                            array(dataflow, MemoryMode.USER, 2 + size % 4, 2 + channels, 1, ScaleSimCompat.V2);
                    LayerShape layer = convolution(size, size, filter, filter, channels, 3, Map.of());
                    LayerRun run = new LayerRun(array, layer, RunListener.NONE);
                    ImageMap map = new ImageMap(layer, run.taps);
                    PrefetchOrder order = new PrefetchOrder(run.image, map);
                    long[] words = java.util.Arrays.stream(run.fetchOrder(Role.IMAGE))
                            .filter(a -> a >= 0)
                            .toArray();
                    for (int pixel = 0; pixel < layer.pixels(); pixel++) {
                        for (int tap = 0; tap < layer.taps(); tap++) {
                            assertThat(words[(int) order.wordOf(pixel, tap)]).isEqualTo(map.at(pixel, tap));
                        }
                    }
                });
    }

    private static void assertOrder(LayerRun run, Stream stream, Role role, AddressMap map) {
        long[] words = java.util.Arrays.stream(run.fetchOrder(role))
                .filter(a -> a >= 0)
                .toArray();
        PrefetchOrder order = new PrefetchOrder(stream, map);
        for (int columnFold = 0; columnFold < run.tiling.columnFolds(); columnFold++) {
            for (int rowFold = 0; rowFold < run.tiling.rowFolds(); rowFold++) {
                stream.fold(rowFold, columnFold);
                for (int cycle = stream.start(); cycle < stream.end(); cycle++) {
                    int at = (int) order.firstWord(stream, cycle);
                    for (int port = stream.lowPort(cycle); port <= stream.highPort(cycle); port++) {
                        assertThat(words[at++]).isEqualTo(stream.at(cycle, port));
                    }
                }
            }
        }
    }

    @Test
    void stallsOnlyWhenTheBandwidthIsGiven() {
        LayerShape layer = LayerShape.gemm("g", 60, 60, 60);
        assertThat(SystolicArray.simulate(array(Dataflow.WS, MemoryMode.CALC, 8, 8, 1, ScaleSimCompat.NONE), layer)
                        .stallCycles())
                .isZero();
        assertThat(SystolicArray.simulate(array(Dataflow.WS, MemoryMode.USER, 8, 8, 1, ScaleSimCompat.NONE), layer)
                        .stallCycles())
                .isPositive();
    }

    @Test
    void iteratesSetsLikeCPython() {
        PythonSetOrder set = new PythonSetOrder();
        for (long number : List.of(40L, 8L, 0L, 3L)) {
            set.add(number);
        }
        assertThat(set.toArray()).containsExactly(40, 8, 3, 0);
        assertThat(set.add(8)).isFalse();
    }
}
