package dev.stagesim.sim.systolic;

import dev.stagesim.sim.systolic.order.Role;
import dev.stagesim.sim.systolic.order.Stream;
import dev.stagesim.sim.systolic.order.Tiling;
import dev.stagesim.sim.systolic.spec.ArraySpec;
import dev.stagesim.sim.systolic.spec.LayerShape;
import dev.stagesim.sim.systolic.spec.MemoryMode;
import dev.stagesim.sim.systolic.spec.OperandMemory;
import dev.stagesim.sim.systolic.spec.ScaleSimCompat;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;

/** Writes the cycle-by-cycle traces of a layer: words at the array edge (SRAM) and at the on-chip memories (DRAM). */
public final class Traces implements RunListener {
    private record Drain(long firstLine, long[] cycles) {}

    private final ArraySpec array;
    private final TraceSink sink;
    private final LayerRun run;
    private final List<Drain> drains = new ArrayList<>();
    private final Map<Long, Integer> shortLines = new LinkedHashMap<>();
    private final StringBuilder line = new StringBuilder();
    private final FetchTrace imageFetches;
    private final FetchTrace filterFetches;

    private Traces(ArraySpec array, LayerShape layer, TraceSink sink) {
        this.array = array;
        this.sink = sink;
        run = new LayerRun(array, layer, this);
        imageFetches = new FetchTrace(
                array.image(), array.image().offset() - array.layoutAddressError(), TraceFile.IFMAP_DRAM, sink);
        filterFetches = new FetchTrace(array.filter(), array.filter().offset(), TraceFile.FILTER_DRAM, sink);
    }

    /** Writes all traces of a layer to {@code sink}. */
    public static void write(ArraySpec array, LayerShape layer, TraceSink sink) {
        Traces traces = new Traces(array, layer, sink);
        if (array.mode() == MemoryMode.USER) {
            traces.imageFetches.load(traces.run.fetchOrder(Role.IMAGE));
            traces.filterFetches.load(traces.run.fetchOrder(Role.FILTER));
        }
        traces.run.run();
        if (array.mode() == MemoryMode.CALC) {
            traces.calculated();
        }
        traces.drainedLines();
    }

    @Override
    public void cycle(int cycle, long imageAt, long filterAt, long outputAt) {
        ports(TraceFile.IFMAP_SRAM, run.image, array.image().offset(), cycle, imageAt);
        ports(TraceFile.FILTER_SRAM, run.filter, array.filter().offset(), cycle, filterAt);
        ports(TraceFile.OFMAP_SRAM, run.output, array.output().offset(), cycle, outputAt);
    }

    @Override
    public void imageFetched(long rows, LongUnaryOperator done) {
        imageFetches.fetched(rows, done);
    }

    @Override
    public void filterFetched(long rows, LongUnaryOperator done) {
        filterFetches.fetched(rows, done);
    }

    @Override
    public void closedShort(long index, int words) {
        shortLines.put(index, words);
    }

    @Override
    public void drained(long firstLine, long lines, LongUnaryOperator done) {
        drains.add(new Drain(firstLine, LongStream.range(0, lines).map(done).toArray()));
    }

    private void ports(TraceFile file, Stream stream, long offset, int cycle, long at) {
        line.setLength(0);
        line.append(at);
        int low = stream.lowPort(cycle);
        int high = stream.highPort(cycle);
        for (int port = 0; port < stream.ports(); port++) {
            long address = port >= low && port <= high ? stream.at(cycle, port) : -1;
            line.append(',').append(address < 0 ? -1 : address + offset);
        }
        sink.line(file, line);
    }

    /** Without stalls, requested words are available one cycle later. */
    private void calculated() {
        boolean isStrict = array.compat() != ScaleSimCompat.NONE;
        MissTrace images = new MissTrace(array.image(), run.layer.imageWords(), TraceFile.IFMAP_DRAM, sink, isStrict);
        MissTrace filters = new MissTrace(array.filter(), run.filterWords(), TraceFile.FILTER_DRAM, sink, isStrict);
        walk((cycle, now) -> {
            cycle(cycle, now + 1, now + 1, now);
            images.count(run.image, cycle, now);
            filters.count(run.filter, cycle, now);
        });
        MissTrace.Rows imageRows = images.rows();
        MissTrace.Rows filterRows = filters.rows();
        walk((cycle, now) -> {
            imageRows.write(run.image, cycle);
            filterRows.write(run.filter, cycle);
        });
        imageRows.end();
        filterRows.end();
    }

    /** Action per cycle: {@code cycle} is relative to the fold, {@code now} to the start of the layer. */
    private interface EachCycle {
        void at(int cycle, long now);
    }

    private void walk(EachCycle each) {
        Tiling tiling = run.tiling;
        long now = 0;
        for (int columnFold = 0; columnFold < tiling.columnFolds(); columnFold++) {
            for (int rowFold = 0; rowFold < tiling.rowFolds(); rowFold++) {
                run.image.fold(rowFold, columnFold);
                run.filter.fold(rowFold, columnFold);
                run.output.fold(rowFold, columnFold);
                for (int cycle = 0; cycle < tiling.period(); cycle++) {
                    each.at(cycle, now++);
                }
            }
        }
    }

    /** Repeats the output words and packs them into the drained lines. */
    private void drainedLines() {
        int width = array.mode() == MemoryMode.CALC
                ? array.columns()
                : array.output().bandwidth();
        Packer packer = new Packer(width);
        Tiling tiling = run.tiling;
        for (int columnFold = 0; columnFold < tiling.columnFolds(); columnFold++) {
            for (int rowFold = 0; rowFold < tiling.rowFolds(); rowFold++) {
                run.output.fold(rowFold, columnFold);
                for (int cycle = run.output.start(); cycle < run.output.end(); cycle++) {
                    for (int port = run.output.lowPort(cycle); port <= run.output.highPort(cycle); port++) {
                        packer.add(run.output.at(cycle, port) + array.output().offset());
                    }
                }
            }
        }
    }

    private final class Packer {
        private final int width;
        private final StringBuilder words = new StringBuilder();
        private int count;
        private long index;
        private int drain;

        Packer(int width) {
            this.width = width;
        }

        void add(long address) {
            words.append(',').append(address).append(".0");
            count++;
            if (count == shortLines.getOrDefault(index, width)) {
                close();
            }
        }

        private void close() {
            while (count < width) {
                words.append(",-1.0");
                count++;
            }
            while (index >= drains.get(drain).firstLine() + drains.get(drain).cycles().length) {
                drain++;
            }
            Drain of = drains.get(drain);
            words.insert(0, of.cycles()[(int) (index - of.firstLine())] + ".0");
            sink.line(TraceFile.OFMAP_DRAM, words);
            words.setLength(0);
            count = 0;
            index++;
        }
    }

    /** Fetch trace of an operand in USER mode, with the row bookkeeping of the reference. */
    private static final class FetchTrace {
        private final OperandMemory memory;
        private final long offset;
        private final TraceFile file;
        private final TraceSink sink;
        private final long active;
        private long[][] rows = new long[0][];
        private boolean isFirst = true;
        private int column;
        private int next;

        FetchTrace(OperandMemory memory, long offset, TraceFile file, TraceSink sink) {
            this.memory = memory;
            this.offset = offset;
            this.file = file;
            this.sink = sink;
            active = (memory.words() + 1) / 2;
        }

        /** Divides the fetch order into rows. */
        void load(long[] order) {
            int width = memory.bandwidth();
            rows = new long[(order.length + width - 1) / width][];
            for (int i = 0; i < rows.length; i++) {
                rows[i] = new long[width];
                Arrays.fill(rows[i], -1);
                int from = i * width;
                System.arraycopy(order, from, rows[i], 0, Math.min(width, order.length - from));
            }
        }

        void fetched(long count, LongUnaryOperator done) {
            boolean isOver = count * memory.bandwidth() > active;
            int valid = (int) (active % memory.bandwidth());
            long[][] block = isFirst ? Arrays.copyOf(rows, (int) count) : block((int) count);
            if (isFirst) {
                isFirst = false;
                column = isOver ? valid : 0;
            } else if (block.length > 0) {
                Arrays.fill(block[0], 0, column, -1);
            }
            if (isOver && block.length > 0) {
                long[] last = block[block.length - 1];
                Arrays.fill(last, valid, last.length, -1);
            }
            next = (int) ((isOver ? count : count + 1) % rows.length);
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < block.length; i++) {
                line.setLength(0);
                line.append(done.applyAsLong(i)).append(".0");
                for (long address : block[i]) {
                    line.append(',').append(address < 0 ? -1 : address + offset).append(".0");
                }
                sink.line(file, line);
            }
        }

        /**
         * Returns the rows after the last fetch. Wrapped rows are copies, so blanking them does not change the
         * original.
         */
        private long[][] block(int count) {
            int end = next + count;
            if (end <= rows.length) {
                return Arrays.copyOfRange(rows, next, end);
            }
            int wrapped = Math.min(end - rows.length, next);
            long[][] block = new long[rows.length - next + wrapped][];
            for (int i = 0; i < block.length; i++) {
                block[i] = rows[(next + i) % rows.length].clone();
            }
            return block;
        }
    }
}
