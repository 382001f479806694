package dev.stagesim.sim.systolic;

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
import dev.stagesim.sim.systolic.order.TapSelection;
import dev.stagesim.sim.systolic.order.Tiling;
import dev.stagesim.sim.systolic.order.WindowWordCounter;
import dev.stagesim.sim.systolic.order.WordCounter;
import dev.stagesim.sim.systolic.spec.ArraySpec;
import dev.stagesim.sim.systolic.spec.Dataflow;
import dev.stagesim.sim.systolic.spec.LayerShape;
import dev.stagesim.sim.systolic.spec.MemoryMode;
import dev.stagesim.sim.systolic.spec.OperandMemory;
import dev.stagesim.sim.systolic.spec.OperandTraffic;
import dev.stagesim.sim.systolic.spec.ScaleSimCompat;
import dev.stagesim.sim.systolic.spec.TrafficSpan;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.stream.LongStream;

/**
 * Simulates one layer on one array: creates the three operand streams and computes their traffic in either memory mode.
 */
final class LayerRun {
    private static final int LINES = 100;

    final ArraySpec array;
    final LayerShape layer;
    final Tiling tiling;
    final TapSelection taps;
    final Optional<RowWiseSparsity> rowWise;
    final Stream image;
    final Stream filter;
    final Stream output;
    private final AddressMap imageMap;
    private final AddressMap filterMap;
    private final boolean isDisjoint;
    private final RunListener listener;

    LayerRun(ArraySpec array, LayerShape layer, RunListener listener) {
        this.array = array;
        this.layer = layer;
        this.listener = listener;
        rowWise = RowWiseSparsity.of(array, layer);
        taps = TapSelection.of(layer, array.sparse().isPresent() && rowWise.isEmpty());
        tiling = Tiling.of(array, layer, filterRows());
        isDisjoint = layer.hasOneWindowPerWord();
        long tapCount = layer.taps();
        imageMap = layer.hasDisjointWindows()
                ? (pixel, tap) -> pixel * tapCount + taps.original(tap)
                : new ImageMap(layer, taps);
        filterMap = rowWise.<AddressMap>map(of -> (row, kernel) -> {
                    int tap = of.original(row, kernel);
                    return tap < 0 ? -1 : kernel * tapCount + tap;
                })
                .orElseGet(() -> keptWeights(tapCount));
        long kernels = layer.filters();
        image = imageStream();
        filter = new Stream(Role.FILTER, tiling, filterMap);
        output = new Stream(Role.OUTPUT, tiling, (pixel, kernel) -> kernels * pixel + kernel);
    }

    /** Returns the address map of filters that all keep the same weights. */
    private AddressMap keptWeights(long tapCount) {
        AddressMap inOrder = (tap, kernel) -> kernel * tapCount + taps.original(tap);
        int moved = movedWeights(array, layer);
        // The reference treats the weight at address 0 as not kept and appends it after the remaining weights of its
        // block.
        return moved == 0
                ? inOrder
                : (tap, kernel) -> kernel == 0 && tap < moved ? (tap + 1) % moved : inOrder.at(tap, kernel);
    }

    /** Number of weights of the first filter that are stored in other rows than in the remaining filters; 0 if none. */
    static int movedWeights(ArraySpec array, LayerShape layer) {
        boolean isMoved = array.compat() == ScaleSimCompat.V3
                && array.filter().offset() == 0
                && array.sparse().filter(spec -> !spec.isOptimized()).isPresent();
        return isMoved ? Math.min(layer.kept(), layer.taps()) : 0;
    }

    /** Rows per filter as stored in the array or streamed through it. */
    int filterRows() {
        return rowWise.map(RowWiseSparsity::rows).orElse(taps.count());
    }

    boolean isPaired() {
        return rowWise.isPresent() && array.dataflow() == Dataflow.WS;
    }

    private Stream imageStream() {
        if (!isPaired()) {
            return new Stream(Role.IMAGE, tiling, imageMap);
        }
        RowWiseSparsity of = rowWise.orElseThrow();
        AddressMap readsInPairs = of.readsInPairs(imageMap, array.rows());
        return new Stream(Role.IMAGE, tiling, readsInPairs, of.wordsPerRow(), of.lanes(array.rows()));
    }

    /** Traffic and duration of a layer. */
    record Traffic(long totalCycles, long stalls, OperandTraffic image, OperandTraffic filter, OperandTraffic output) {}

    Traffic run() {
        return array.mode() == MemoryMode.CALC ? calculated() : given();
    }

    private Traffic calculated() {
        long imageFirst = ArraySpans.first(image);
        long filterFirst = ArraySpans.first(filter);
        TrafficSpan imageDram = imageFetches(imageFirst);
        TrafficSpan filterDram = rowWise.isEmpty()
                ? CalcReads.closedForm(filter, array.filter().words(), filterFirst)
                : CalcReads.walk(filter, array.filter().words(), filterWords(), filterFirst, Optional.empty());
        WriteBuffer buffer = new WriteBuffer(plain(array.output()), array.columns(), array.compat(), listener);
        TrafficSpan outputDram = new CalcWrites(output, buffer, listener == RunListener.NONE).span();
        return new Traffic(
                tiling.cycles() - 1,
                0,
                new OperandTraffic(new TrafficSpan(imageFirst + 1, imageLast() + 1, imageReads()), imageDram),
                new OperandTraffic(
                        new TrafficSpan(filterFirst + 1, ArraySpans.last(filter) + 1, filterReads()), filterDram),
                new OperandTraffic(
                        new TrafficSpan(ArraySpans.first(output), ArraySpans.last(output), outputWrites()),
                        outputDram));
    }

    private long imageLast() {
        return layer.hasPartialWindows() && !isPaired()
                ? ArraySpans.last(image, new WindowWordCounter(layer, taps, array.dataflow() == Dataflow.WS))
                : ArraySpans.last(image);
    }

    private TrafficSpan imageFetches(long first) {
        OperandMemory memory = array.image();
        long windowed = layer.windowedWords();
        if (isDisjoint) {
            return isPaired()
                    ? CalcReads.readsInPairs(image, rowWise.orElseThrow(), layer.taps(), memory.words(), first)
                    : CalcReads.closedForm(image, memory.words(), first);
        }
        // Each word is fetched once if all words stay on chip.
        boolean isOnce = taps.isDense() && CalcReads.fits(memory, windowed);
        return isOnce
                ? CalcReads.once(image, memory.words(), windowed, first)
                : CalcReads.walk(image, memory.words(), layer.imageWords(), first, Optional.of(this));
    }

    long filterWords() {
        return (long) layer.taps() * layer.filters();
    }

    /** Latencies are replayed only in USER mode; CALC mode uses a plain memory. */
    private static OperandMemory plain(OperandMemory memory) {
        return OperandMemory.plain(memory.kilobytes(), memory.offset(), memory.bandwidth(), memory.queue());
    }

    private Traffic given() {
        UserReads images = imageReader();
        UserReads filters = filterReader();
        WriteBuffer writes = new WriteBuffer(array.output(), array.output().bandwidth(), array.compat(), listener);
        ActiveCycles imageBusy = new ActiveCycles(image, true);
        ActiveCycles filterBusy = new ActiveCycles(filter, rowWise.isPresent());
        ActiveCycles outputBusy = new ActiveCycles(output, false);
        long issue = 0;
        long stalls = 0;
        long total = 0;
        int period = tiling.period();
        for (int columnFold = 0; columnFold < tiling.columnFolds(); columnFold++) {
            for (int rowFold = 0; rowFold < tiling.rowFolds(); rowFold++) {
                image.fold(rowFold, columnFold);
                filter.fold(rowFold, columnFold);
                output.fold(rowFold, columnFold);
                for (int cycle = 0; cycle < period; cycle++) {
                    long now = issue + stalls;
                    long imageAt = images.serve(cycle, now);
                    long filterAt = filters.serve(cycle, now);
                    int words = Math.max(0, output.highPort(cycle) - output.lowPort(cycle) + 1);
                    long outputAt = writes.write(words, now);
                    imageBusy.note(cycle, imageAt);
                    filterBusy.note(cycle, filterAt);
                    outputBusy.note(cycle, outputAt);
                    listener.cycle(cycle, imageAt, filterAt, outputAt);
                    total = Math.max(total, outputAt);
                    stalls += Math.max(Math.max(imageAt, filterAt) - now - 1, outputAt - now);
                    issue++;
                }
            }
        }
        TrafficSpan outputDram = writes.finish(total);
        return new Traffic(
                total,
                stalls,
                new OperandTraffic(imageBusy.span(imageReads()), images.span()),
                new OperandTraffic(filterBusy.span(filterReads()), filters.span()),
                new OperandTraffic(outputBusy.span(outputWrites()), outputDram));
    }

    private UserReads imageReader() {
        Optional<LayoutSequence> layout = layout(Role.IMAGE);
        if (layout.isPresent()) {
            return layoutReader(image, array.image(), layout.get(), 0, array.layoutAddressError());
        }
        PrefetchOrder order = imageOrder();
        FetchPositions places = layer.hasPartialWindows()
                ? new SparseFetchPositions(order, new WindowWordCounter(layer, taps, array.dataflow() == Dataflow.WS))
                : order;
        boolean countsWaitTwice = array.compat() == ScaleSimCompat.V3;
        long lineWords = lineWords(array.image());
        ReadWindow window = window(array.image(), places, lineWords);
        if (isDisjoint && !isPaired()) {
            return new RunReads(image, window, places, lineWords, countsWaitTwice);
        }
        ImageCopies copies = new ImageCopies(places, layer, taps, lineWords);
        return isPaired()
                ? new ScatteredReads(image, window, copies, countsWaitTwice)
                : new WindowReads(image, window, places, copies, lineWords, countsWaitTwice);
    }

    /** The image is always fetched dense, independent of the sparsity of the filters. */
    private PrefetchOrder imageOrder() {
        return new PrefetchOrder(
                isPaired() ? new Stream(Role.IMAGE, Tiling.of(array, layer, taps.count()), imageMap) : image, imageMap);
    }

    private UserReads filterReader() {
        Optional<LayoutSequence> layout = layout(Role.FILTER);
        if (layout.isPresent()) {
            return layoutReader(
                    filter, array.filter(), layout.get(), array.filter().offset(), 0);
        }
        PrefetchOrder order = new PrefetchOrder(filter, filterMap);
        FetchPositions places = rowWise.<FetchPositions>map(of -> new SparseFetchPositions(order, gaps(of)))
                .orElse(order);
        long lineWords = lineWords(array.filter());
        return new RunReads(
                filter,
                window(array.filter(), places, lineWords),
                places,
                lineWords,
                array.compat() == ScaleSimCompat.V3);
    }

    private WordCounter gaps(RowWiseSparsity of) {
        return array.dataflow() == Dataflow.IS
                ? new RowWordCounter(of, layer.filters())
                : new FilterWordCounter(of, layer.filters());
    }

    /** Returns the custom order of an operand in its memory. */
    private Optional<LayoutSequence> layout(Role role) {
        boolean isImage = role == Role.IMAGE;
        List<Integer> extents = isImage
                ? List.of(layer.height(), layer.width(), layer.channels())
                : List.of(layer.filters(), layer.channels(), layer.filterHeight(), layer.filterWidth());
        return (isImage ? array.image() : array.filter()).layout().map(order -> new LayoutSequence(extents, order));
    }

    private UserReads layoutReader(
            Stream stream, OperandMemory memory, LayoutSequence sequence, long offset, long layoutAddressError) {
        LayoutLines lines = new LayoutLines(sequence, memory.bandwidth(), offset, layoutAddressError);
        ReadWindow window =
                new ReadWindow(memory, lines.count(), memory.bandwidth(), sequence.entries(), fetches(memory));
        return new LayoutReads(stream, window, lines, memory);
    }

    private ReadWindow window(OperandMemory memory, FetchPositions places, long lineWords) {
        long lines = places.words() / lineWords + 1;
        return new ReadWindow(memory, lines, lineWords, places.entries(), fetches(memory));
    }

    @SuppressWarnings("ReferenceEquality") // the two memories may be equal, but they are two
    private ReadWindow.FetchListener fetches(OperandMemory memory) {
        return memory == array.image() ? listener::imageFetched : listener::filterFetched;
    }

    /** Returns the complete prefetch order of an operand, with -1 for padding. Used by traces. */
    long[] fetchOrder(Role role) {
        Optional<LayoutSequence> layout = layout(role);
        if (layout.isPresent()) {
            return filled(layout.get().entries(), layout.get()::each);
        }
        PrefetchOrder order = role == Role.IMAGE ? imageOrder() : new PrefetchOrder(filter, filterMap);
        return filled(order.entries(), order::each);
    }

    private static long[] filled(long entries, Consumer<LongConsumer> sequence) {
        LongStream.Builder builder = LongStream.builder();
        sequence.accept(builder::add);
        long[] all = builder.build().toArray();
        if (all.length != entries) {
            throw new IllegalStateException(all.length + " entries instead of " + entries);
        }
        return all;
    }

    private static long lineWords(OperandMemory memory) {
        return (memory.words() + LINES - 1) / LINES;
    }

    private double imageReads() {
        if (array.dataflow() == Dataflow.IS) {
            return (double) tiling.acrossRows() * tiling.acrossColumns();
        }
        if (isPaired()) {
            int lanes = rowWise.orElseThrow().lanes(array.rows());
            return (double) tiling.folds() * (tiling.time() + array.rows() - 1) * lanes;
        }
        if (!isImageScaled()) {
            return (double) tiling.columnFolds() * tiling.acrossRows() * tiling.time();
        }
        // The reference scales the reads per fold and sums them in double precision.
        double scale = (double) layer.block() / layer.kept();
        int lastRow = tiling.rowFolds() - 1;
        double whole = (double) tiling.time() * tiling.usedRows(0) * scale;
        double rest = (double) tiling.time() * tiling.usedRows(lastRow) * scale;
        return RepeatedSum.repeat(0, tiling.columnFolds(), sum -> RepeatedSum.add(sum, whole, lastRow) + rest);
    }

    /** True for sparse stationary weights: the reference then scales the image reads. */
    boolean isImageScaled() {
        return array.sparse().isPresent() && rowWise.isEmpty() && array.dataflow() == Dataflow.WS;
    }

    private double filterReads() {
        return switch (array.dataflow()) {
            case OS -> (double) tiling.rowFolds() * tiling.acrossColumns() * tiling.time();
            case WS -> (double) tiling.acrossRows() * tiling.acrossColumns();
            case IS -> (double) tiling.columnFolds() * tiling.acrossRows() * tiling.time();
        };
    }

    private double outputWrites() {
        if (array.dataflow() != Dataflow.OS) {
            return (double) tiling.rowFolds() * tiling.time() * tiling.acrossColumns();
        }
        double written = (double) tiling.acrossRows() * tiling.acrossColumns();
        // The reference counts one extra array row and column per fold.
        double extra = array.compat() == ScaleSimCompat.NONE ? 0 : tiling.folds() * (array.rows() + array.columns());
        return written + extra;
    }

    /** Records the first and last cycle with traffic for an operand. */
    private static final class ActiveCycles {
        private final Stream stream;
        private final boolean hasGaps;
        private long first = Long.MIN_VALUE;
        private long last;

        ActiveCycles(Stream stream, boolean hasGaps) {
            this.stream = stream;
            this.hasGaps = hasGaps;
        }

        void note(int cycle, long at) {
            int low = stream.lowPort(cycle);
            int high = stream.highPort(cycle);
            if (low > high || (hasGaps && !isAnyReal(cycle, low, high))) {
                return;
            }
            if (first == Long.MIN_VALUE) {
                first = at;
            }
            last = at;
        }

        private boolean isAnyReal(int cycle, int low, int high) {
            for (int port = low; port <= high; port++) {
                if (stream.at(cycle, port) >= 0) {
                    return true;
                }
            }
            return false;
        }

        TrafficSpan span(double words) {
            return new TrafficSpan(first, last, words);
        }
    }
}
