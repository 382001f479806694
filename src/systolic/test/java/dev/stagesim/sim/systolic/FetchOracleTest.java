package dev.stagesim.sim.systolic;

import static dev.stagesim.sim.systolic.SystolicArrayTest.convolution;
import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.model.StageException;
import dev.stagesim.sim.systolic.order.TapSelection;
import dev.stagesim.sim.systolic.spec.ArraySpec;
import dev.stagesim.sim.systolic.spec.Dataflow;
import dev.stagesim.sim.systolic.spec.LayerMetrics;
import dev.stagesim.sim.systolic.spec.LayerShape;
import dev.stagesim.sim.systolic.spec.LayoutOrder;
import dev.stagesim.sim.systolic.spec.MemoryMode;
import dev.stagesim.sim.systolic.spec.OperandMemory;
import dev.stagesim.sim.systolic.spec.ScaleSimCompat;
import dev.stagesim.sim.systolic.spec.SparseSpec;
import dev.stagesim.sim.systolic.spec.TrafficSpan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Compares the DRAM traffic of reports with the words in the traces of a word-by-word simulation. */
final class FetchOracleTest {
    private static final long OFFSET = 1000;

    private static Map<TraceFile, List<String>> traces(ArraySpec array, LayerShape layer) {
        Map<TraceFile, List<String>> lines = new EnumMap<>(TraceFile.class);
        Traces.write(array, layer, (file, line) -> lines.computeIfAbsent(file, f -> new ArrayList<>())
                .add(line.toString()));
        return lines;
    }

    private static ArraySpec array(
            Dataflow dataflow, int rows, int columns, long offset, ScaleSimCompat compat, Optional<SparseSpec> sparse) {
        OperandMemory memory = OperandMemory.plain(1, offset, 4, 32);
        return new ArraySpec(rows, columns, dataflow, MemoryMode.CALC, memory, memory, memory, sparse, compat);
    }

    /** First and last cycle of a trace and its words, without gaps and padding. */
    private static TrafficSpan listed(List<String> lines) {
        long words = 0;
        for (String line : lines) {
            words += Arrays.stream(line.split(",", -1))
                    .skip(1)
                    .filter(cell -> Double.parseDouble(cell) >= OFFSET)
                    .count();
        }
        return new TrafficSpan(cycle(lines.get(0)), cycle(lines.get(lines.size() - 1)), words);
    }

    private static long cycle(String line) {
        return (long) Double.parseDouble(line.split(",", 2)[0]);
    }

    /** Images larger than the on-chip memory with overlapping windows, for which the report skips periods. */
    @RepeatedTest(10)
    void fetchesTheWordsOfTheTraceWhenTheImageIsWalked(RepetitionInfo info) {
        compareWalkedImage(info.getCurrentRepetition());
    }

    @RepeatedTest(120)
    @Tag("long")
    void fetchesTheWordsOfTheTraceWhenManyImagesAreWalked(RepetitionInfo info) {
        compareWalkedImage(info.getCurrentRepetition());
    }

    private static void compareWalkedImage(int seed) {
        Random random = new Random(seed);
        Dataflow dataflow = Dataflow.values()[seed % 3];
        int block = 1 + random.nextInt(8);
        int kept = 1 + random.nextInt(block);
        boolean isSparse = random.nextBoolean();
        LayerShape layer = convolution(
                12 + random.nextInt(24),
                12 + random.nextInt(24),
                2 + random.nextInt(3),
                2 + random.nextInt(3),
                1 + random.nextInt(5),
                1 + random.nextInt(12),
                Map.ofEntries(
                        entry("strideHeight", 1 + random.nextInt(2)),
                        entry("strideWidth", 1 + random.nextInt(2)),
                        entry("kept", isSparse ? kept : 1),
                        entry("block", isSparse ? block : 1)));
        Optional<SparseSpec> sparse =
                isSparse ? Optional.of(new SparseSpec(SparseSpec.Format.CSR, false, 1, 0)) : Optional.empty();
        ArraySpec array = array(
                dataflow,
                1 + random.nextInt(12),
                1 + random.nextInt(8),
                OFFSET,
                random.nextBoolean() ? ScaleSimCompat.NONE : ScaleSimCompat.V3,
                sparse);
        LayerMetrics figures = SystolicArray.simulate(array, layer);
        Map<TraceFile, List<String>> traces = traces(array, layer);
        assertThat(figures.image().dram()).isEqualTo(listed(traces.get(TraceFile.IFMAP_DRAM)));
        assertThat(figures.filter().dram()).isEqualTo(listed(traces.get(TraceFile.FILTER_DRAM)));
    }

    /** A cycle with requests for new words in all columns may empty half the memory several times. */
    @Test
    void combinesTheRowsOfFlushesWithinOneCycle() {
        compareFlushes(1);
    }

    @RepeatedTest(4)
    @Tag("long")
    void combinesTheRowsOfFlushesWithinOneCycleInMoreLayers(RepetitionInfo info) {
        compareFlushes(info.getCurrentRepetition());
    }

    private static void compareFlushes(int seed) {
        Random random = new Random(seed);
        int columns = 1000 + random.nextInt(300);
        LayerShape layer =
                LayerShape.gemm("g", 1 + random.nextInt(5), 1000 + random.nextInt(600), 1 + random.nextInt(20));
        ArraySpec array =
                array(Dataflow.WS, 1 + random.nextInt(8), columns, OFFSET, ScaleSimCompat.NONE, Optional.empty());
        List<String> lines = traces(array, layer).get(TraceFile.FILTER_DRAM);
        assertThat(listed(lines))
                .isEqualTo(SystolicArray.simulate(array, layer).filter().dram());
        for (int i = 1; i < lines.size(); i++) {
            assertThat(cycle(lines.get(i))).isEqualTo(cycle(lines.get(i - 1)) + 1);
        }
        assertThat(lines.stream().map(line -> line.split(",", -1).length).distinct())
                .hasSize(1);
    }

    @Test
    void rejectsLayersThatStopTheReferenceInCompatMode() {
        LayerShape layer = LayerShape.gemm("g", 4, 1200, 8);
        assertThatThrownBy(
                        () -> traces(array(Dataflow.WS, 8, 1200, OFFSET, ScaleSimCompat.V3, Optional.empty()), layer))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("compat=none");
    }

    /** Version 3 treats the weight at address 0 as not kept and appends it to its block. */
    @RepeatedTest(60)
    void movesTheWeightAtAddressZeroToTheEndOfItsBlock(RepetitionInfo info) {
        Random random = new Random(info.getCurrentRepetition());
        int block = 1 + random.nextInt(6);
        int kept = 1 + random.nextInt(block);
        int taps = 1 + random.nextInt(12);
        int filters = 2 + random.nextInt(5);
        LayerShape layer = LayerShape.gemm("g", 1 + random.nextInt(6), filters, taps, kept, block);
        SparseSpec spec = new SparseSpec(SparseSpec.Format.CSR, false, 1, 0);
        for (Dataflow dataflow : Dataflow.values()) {
            ArraySpec array = array(dataflow, 64, 64, 0, ScaleSimCompat.V3, Optional.of(spec));
            List<String> lines = traces(array, layer).get(TraceFile.FILTER_SRAM);
            assertThat(firstPort(lines)).isEqualTo(condensed(dataflow, taps, filters, kept, block));
        }
    }

    /** Addresses at the first port, in the order they cross it. */
    private static List<Long> firstPort(List<String> lines) {
        return lines.stream()
                .map(line -> Long.parseLong(line.split(",", -1)[1]))
                .filter(address -> address >= 0)
                .toList();
    }

    /** Returns the addresses from the condensed matrix, column by column. */
    private static List<Long> condensed(Dataflow dataflow, int taps, int filters, int kept, int block) {
        List<long[]> columns = new ArrayList<>();
        for (int filter = 0; filter < filters; filter++) {
            LongStream.Builder column = LongStream.builder();
            for (int from = 0; from < taps; from += block) {
                long base = (long) filter * taps;
                int left = taps - from;
                long[] nonZero = LongStream.range(from, from + Math.min(kept, left))
                        .map(tap -> base + tap)
                        .filter(address -> address != 0)
                        .toArray();
                Arrays.stream(Arrays.copyOf(nonZero, kept)).forEach(column::add);
            }
            columns.add(column.build().toArray());
        }
        int rows = columns.get(0).length;
        while (isZero(columns, rows - 1)) {
            rows--;
        }
        List<Long> port = new ArrayList<>();
        for (int row = rows - 1; dataflow == Dataflow.WS && row >= 0; row--) {
            port.add(columns.get(0)[row]);
        }
        for (int row = 0; dataflow == Dataflow.OS && row < rows; row++) {
            port.add(columns.get(0)[row]);
        }
        for (int filter = 0; dataflow == Dataflow.IS && filter < filters; filter++) {
            port.add(columns.get(filter)[0]);
        }
        return port;
    }

    private static boolean isZero(List<long[]> columns, int row) {
        return columns.stream().allMatch(column -> column[row] == 0);
    }

    @Test
    void rejectsASingleFilterOfOneBlockThatLosesARow() {
        SparseSpec spec = new SparseSpec(SparseSpec.Format.CSR, false, 1, 0);
        LayerShape layer = LayerShape.gemm("g", 4, 1, 3, 2, 4);
        ArraySpec atZero = array(Dataflow.WS, 4, 4, 0, ScaleSimCompat.V3, Optional.of(spec));
        assertThat(SystolicArray.unsupportedReason(atZero, layer))
                .hasValueSatisfying(why -> assertThat(why).contains("FilterOffset"));
        assertThat(SystolicArray.unsupportedReason(atZero.withCompat(ScaleSimCompat.NONE), layer))
                .isEmpty();
    }

    @Test
    void checksRatiosOnlyWhenFiltersAreSparse() {
        SparseSpec spec = new SparseSpec(SparseSpec.Format.CSR, false, 1, 0);
        for (int kept : new int[] {-1, 0, 5}) {
            LayerShape layer = LayerShape.gemm("g", 4, 2, 3, kept, 4);
            assertThat(SystolicArray.unsupportedReason(
                            array(Dataflow.WS, 4, 4, 1, ScaleSimCompat.V3, Optional.of(spec)), layer))
                    .isPresent();
            assertThat(SystolicArray.unsupportedReason(
                            array(Dataflow.WS, 4, 4, 1, ScaleSimCompat.V3, Optional.empty()), layer))
                    .isEmpty();
        }
    }

    /** Windows of one pixel at stride 2 need words 0, 2 and so on. An offset shifts the requested words. */
    @Test
    void acceptsALayoutWithoutTheOffsetWhenAllWordsFit() {
        Optional<LayoutOrder> layout = Optional.of(new LayoutOrder(List.of(1, 1, 1), List.of(0, 1, 2, 3, 4, 5)));
        LayerShape layer = convolution(1, 6, 1, 1, 1, 1, Map.of("strideHeight", 2, "strideWidth", 2));
        for (int offset : new int[] {0, 1, 2}) {
            ArraySpec array = array(Dataflow.OS, 4, 4, offset, ScaleSimCompat.V3, Optional.empty())
                    .withLayouts(layout, Optional.empty());
            assertThat(SystolicArray.unsupportedReason(array, layer).isPresent())
                    .isEqualTo(offset > 1);
            assertThat(SystolicArray.unsupportedReason(array.withCompat(ScaleSimCompat.NONE), layer))
                    .isEmpty();
        }
    }

    /** The reference adds up doubles fold by fold. */
    @RepeatedTest(40)
    void sumsScaledReadsFoldByFold(RepetitionInfo info) {
        Random random = new Random(info.getCurrentRepetition());
        int block = 1 + random.nextInt(9);
        int kept = 1 + random.nextInt(block);
        LayerShape layer = LayerShape.gemm(
                "g", 1 + random.nextInt(40), 1 + random.nextInt(60), 1 + random.nextInt(200), kept, block);
        SparseSpec spec = new SparseSpec(SparseSpec.Format.CSR, false, 1, 0);
        int rows = 1 + random.nextInt(9);
        int columns = 1 + random.nextInt(9);
        ArraySpec array = array(Dataflow.WS, rows, columns, OFFSET, ScaleSimCompat.V3, Optional.of(spec));
        int taps = TapSelection.of(layer, true).count();
        double sum = 0;
        for (int column = 0; column < layer.filters(); column += columns) {
            for (int row = 0; row < taps; row += rows) {
                sum += (double) layer.pixels() * Math.min(rows, taps - row) * ((double) block / kept);
            }
        }
        assertThat(SystolicArray.simulate(array, layer).image().sram().words()).isEqualTo(sum);
    }

    @Test
    void listsNoAddressTwiceBetweenFlushes() {
        LayerShape layer = convolution(16, 16, 3, 3, 4, 4, Map.of());
        ArraySpec array = array(Dataflow.OS, 4, 4, OFFSET, ScaleSimCompat.NONE, Optional.empty());
        List<Long> words = traces(array, layer).get(TraceFile.IFMAP_DRAM).stream()
                .flatMap(line -> Arrays.stream(line.split(",", -1)).skip(1))
                .map(cell -> (long) Double.parseDouble(cell))
                .filter(address -> address >= OFFSET)
                .toList();
        for (int from = 0; from < words.size(); from += 500) {
            List<Long> stay = words.subList(from, Math.min(words.size(), from + 500));
            Set<Long> distinct = new LinkedHashSet<>(stay);
            assertThat(distinct).hasSameSizeAs(stay);
        }
    }
}
