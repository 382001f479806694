package dev.stagesim.sim.systolic;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.sim.systolic.order.AddressMap;
import dev.stagesim.sim.systolic.order.ArraySpans;
import dev.stagesim.sim.systolic.order.FetchPositions;
import dev.stagesim.sim.systolic.order.FilterWordCounter;
import dev.stagesim.sim.systolic.order.ImageMap;
import dev.stagesim.sim.systolic.order.PrefetchOrder;
import dev.stagesim.sim.systolic.order.Role;
import dev.stagesim.sim.systolic.order.RowWiseSparsity;
import dev.stagesim.sim.systolic.order.RowWordCounter;
import dev.stagesim.sim.systolic.order.SparseFetchPositions;
import dev.stagesim.sim.systolic.order.Stream;
import dev.stagesim.sim.systolic.order.Tiling;
import dev.stagesim.sim.systolic.order.WindowWordCounter;
import dev.stagesim.sim.systolic.order.WordCounter;
import dev.stagesim.sim.systolic.spec.ArraySpec;
import dev.stagesim.sim.systolic.spec.Dataflow;
import dev.stagesim.sim.systolic.spec.LayerShape;
import dev.stagesim.sim.systolic.spec.LayoutOrder;
import dev.stagesim.sim.systolic.spec.MemoryMode;
import dev.stagesim.sim.systolic.spec.OperandMemory;
import dev.stagesim.sim.systolic.spec.ScaleSimCompat;
import dev.stagesim.sim.systolic.spec.SparseSpec;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;

/** Compares computed positions with the enumerated fetch order. */
final class FetchPositionsTest {
    private static ArraySpec array(
            Dataflow dataflow, int rows, int columns, Optional<SparseSpec> sparse, ScaleSimCompat compat) {
        OperandMemory memory = OperandMemory.plain(1, 0, 4, 32);
        return new ArraySpec(rows, columns, dataflow, MemoryMode.USER, memory, memory, memory, sparse, compat);
    }

    /** Strides of up to 4 create gaps, overlaps, and windows outside the image. */
    private static LayerShape convolution(Random random, int block) {
        int height = 1 + random.nextInt(9);
        int width = 1 + random.nextInt(9);
        return SystolicArrayTest.convolution(
                height,
                width,
                1 + random.nextInt(Math.min(4, height)),
                1 + random.nextInt(Math.min(4, width)),
                1 + random.nextInt(4),
                1 + random.nextInt(12),
                Map.ofEntries(
                        entry("strideHeight", 1 + random.nextInt(4)),
                        entry("strideWidth", 1 + random.nextInt(4)),
                        entry("kept", 1 + random.nextInt(block)),
                        entry("block", block)));
    }

    private static long[] words(LayerRun run, Role role) {
        return LongStream.of(run.fetchOrder(role)).filter(a -> a >= 0).toArray();
    }

    @RepeatedTest(150)
    void findsWordsOfCutWindowsInFetchOrder(RepetitionInfo info) {
        Random random = new Random(info.getCurrentRepetition());
        LayerShape layer = convolution(random, 1 + random.nextInt(4));
        Dataflow dataflow = Dataflow.values()[random.nextInt(3)];
        Optional<SparseSpec> sparse = random.nextBoolean()
                ? Optional.empty()
                : Optional.of(new SparseSpec(SparseSpec.Format.CSR, false, 1, 0));
        ArraySpec array = array(dataflow, 1 + random.nextInt(8), 1 + random.nextInt(8), sparse, ScaleSimCompat.NONE);
        LayerRun run = new LayerRun(array, layer, RunListener.NONE);
        AddressMap map = new ImageMap(layer, run.taps);
        WindowWordCounter gaps = new WindowWordCounter(layer, run.taps, dataflow == Dataflow.WS);
        SparseFetchPositions places = new SparseFetchPositions(new PrefetchOrder(run.image, map), gaps);
        long[] words = words(run, Role.IMAGE);
        assertThat(places.words()).isEqualTo(words.length);
        assertServed(places, run.image, words);
        List<int[]> requested = new ArrayList<>();
        for (int pixel = 0; pixel < layer.pixels(); pixel++) {
            for (int tap = 0; tap < run.taps.count(); tap++) {
                requested.add(new int[] {pixel, tap});
            }
        }
        // Random order, so that counts begin at any position.
        Collections.shuffle(requested, random);
        for (int[] at : requested) {
            long address = map.at(at[0], at[1]);
            if (address >= 0) {
                assertThat(words[(int) places.wordOf(at[0], at[1])]).isEqualTo(address);
            }
        }
        assertThat(ArraySpans.last(run.image, gaps)).isEqualTo(ArraySpans.last(run.image));
        if (sparse.isEmpty()) {
            assertThat(layer.windowedWords())
                    .isEqualTo(LongStream.of(words).distinct().count());
        }
    }

    private static void assertServed(FetchPositions places, Stream stream, long[] words) {
        Tiling tiling = stream.tiling;
        for (int columnFold = 0; columnFold < tiling.columnFolds(); columnFold++) {
            for (int rowFold = 0; rowFold < tiling.rowFolds(); rowFold++) {
                stream.fold(rowFold, columnFold);
                for (int cycle = stream.start(); cycle < stream.end(); cycle++) {
                    int now = cycle;
                    long[] served = IntStream.rangeClosed(stream.lowPort(cycle), stream.highPort(cycle))
                            .mapToLong(port -> stream.at(now, port))
                            .filter(a -> a >= 0)
                            .toArray();
                    assertThat(places.words(stream, cycle)).isEqualTo(served.length);
                    int first = (int) places.firstWord(stream, cycle);
                    for (int i = 0; i < served.length; i++) {
                        assertThat(words[first + i]).isEqualTo(served[i]);
                    }
                }
            }
        }
    }

    @RepeatedTest(150)
    void findsWordsOfUnequalFiltersInFetchOrder(RepetitionInfo info) {
        Random random = new Random(info.getCurrentRepetition());
        Dataflow dataflow = Dataflow.values()[random.nextInt(3)];
        int block = 2 * (1 + random.nextInt(3));
        int taps = dataflow == Dataflow.WS ? 1 + random.nextInt(40) : block;
        ScaleSimCompat compat = random.nextBoolean() ? ScaleSimCompat.NONE : ScaleSimCompat.V3;
        SparseSpec spec = new SparseSpec(SparseSpec.Format.CSR, true, block, random.nextInt(50));
        ArraySpec array =
                array(dataflow, block * (1 + random.nextInt(2)), 1 + random.nextInt(5), Optional.of(spec), compat);
        LayerShape layer = LayerShape.gemm("g", 1 + random.nextInt(5), 1 + random.nextInt(40), taps);
        LayerRun run = new LayerRun(array, layer, RunListener.NONE);
        RowWiseSparsity rowWise = run.rowWise.orElseThrow();
        WordCounter gaps = dataflow == Dataflow.IS
                ? new RowWordCounter(rowWise, layer.filters())
                : new FilterWordCounter(rowWise, layer.filters());
        AddressMap map = (row, kernel) -> {
            int tap = rowWise.original(row, kernel);
            return tap < 0 ? -1 : (long) kernel * taps + tap;
        };
        SparseFetchPositions places = new SparseFetchPositions(new PrefetchOrder(run.filter, map), gaps);
        long[] words = words(run, Role.FILTER);
        assertThat(places.words()).isEqualTo(words.length);
        assertServed(places, run.filter, words);
    }

    @RepeatedTest(80)
    void findsWordsOfALayoutWithoutEnumeration(RepetitionInfo info) {
        Random random = new Random(info.getCurrentRepetition());
        int axes = 3 + random.nextInt(2);
        List<Integer> extents = random.ints(axes, 1, 7).boxed().toList();
        List<Integer> factors = random.ints(axes, 1, 5).boxed().toList();
        List<Integer> order =
                new ArrayList<>(IntStream.range(0, 2 * axes).boxed().toList());
        Collections.shuffle(order, random);
        LayoutSequence sequence = new LayoutSequence(extents, new LayoutOrder(factors, order));
        List<Long> listed = new ArrayList<>();
        sequence.each(address -> {
            if (address >= 0) {
                listed.add(address);
            }
        });
        assertThat(sequence.words()).isEqualTo(listed.size());
        for (int i = 0; i < listed.size(); i++) {
            assertThat(sequence.placeOf(listed.get(i))).isEqualTo(i);
            assertThat(sequence.addressAt(i)).isEqualTo(listed.get(i));
        }
        int lineWords = 1 + random.nextInt(12);
        LayoutLines lines = new LayoutLines(sequence, lineWords, 100, 0);
        assertThat(lines.count()).isEqualTo(listed.size() / lineWords + 1);
        for (int from = 0; from < listed.size(); from += lineWords) {
            PythonSetOrder set = new PythonSetOrder();
            listed.subList(from, Math.min(from + lineWords, listed.size())).forEach(a -> set.add(a + 100));
            long[] inOrder = set.toArray();
            for (int i = 0; i < inOrder.length; i++) {
                assertThat(lines.column(sequence.placeOf(inOrder[i] - 100))).isEqualTo(i);
            }
        }
    }
}
