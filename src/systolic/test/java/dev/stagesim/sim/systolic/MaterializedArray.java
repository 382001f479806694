package dev.stagesim.sim.systolic;

import dev.stagesim.sim.systolic.order.Role;
import dev.stagesim.sim.systolic.spec.ArraySpec;
import dev.stagesim.sim.systolic.spec.Dataflow;
import dev.stagesim.sim.systolic.spec.LayerShape;
import dev.stagesim.sim.systolic.spec.TrafficSpan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Direct model of a layer on an array: enumerates the addresses of every port in every cycle, then serves them word by
 * word. Slow by design; shares no code with the kernel.
 */
final class MaterializedArray {
    private static final long NONE = -1;

    private final ArraySpec array;
    private final LayerShape layer;
    private final List<long[]> image = new ArrayList<>();
    private final List<long[]> filter = new ArrayList<>();
    private final List<long[]> output = new ArrayList<>();
    private final long[][] imageMatrix;
    private final long[][] filterMatrix;
    private final long[][] outputMatrix;

    MaterializedArray(ArraySpec array, LayerShape layer) {
        this.array = array;
        this.layer = layer;
        int pixels = layer.outHeight() * layer.outWidth();
        int taps = layer.filterHeight() * layer.filterWidth() * layer.channels();
        imageMatrix = new long[pixels][taps];
        filterMatrix = new long[taps][layer.filters()];
        outputMatrix = new long[pixels][layer.filters()];
        for (int i = 0; i < pixels; i++) {
            for (int j = 0; j < taps; j++) {
                imageMatrix[i][j] = tap(i, j);
            }
        }
        for (int j = 0; j < layer.filters(); j++) {
            for (int i = 0; i < taps; i++) {
                filterMatrix[i][j] = (long) j * taps + i;
            }
            for (int i = 0; i < pixels; i++) {
                outputMatrix[i][j] = (long) layer.filters() * i + j;
            }
        }
        demand(pixels, taps, layer.filters());
    }

    private long tap(int pixel, int tap) {
        int inRow = tap % (layer.filterWidth() * layer.channels());
        int y = pixel / layer.outWidth() * layer.strideHeight() + tap / (layer.filterWidth() * layer.channels());
        int x = pixel % layer.outWidth() * layer.strideWidth() + inRow / layer.channels();
        return y < layer.height() && x < layer.width()
                ? ((long) y * layer.width() + x) * layer.channels() + inRow % layer.channels()
                : NONE;
    }

    private void demand(int pixels, int taps, int filters) {
        int r = array.rows();
        int c = array.columns();
        Dataflow flow = array.dataflow();
        int sr = flow == Dataflow.OS ? pixels : taps;
        int sc = flow == Dataflow.IS ? pixels : filters;
        int time = flow == Dataflow.OS ? taps : flow == Dataflow.WS ? pixels : filters;
        int period = time + c - 2 + (flow == Dataflow.OS ? r : 2 * r);
        for (int fromColumn = 0; fromColumn < sc; fromColumn += c) {
            for (int fromRow = 0; fromRow < sr; fromRow += r) {
                int base = image.size();
                for (int t = 0; t < period; t++) {
                    image.add(idle(flow == Dataflow.IS ? c : r));
                    filter.add(idle(flow == Dataflow.IS ? r : c));
                    output.add(idle(c));
                }
                for (int i = 0; i < Math.min(r, sr - fromRow); i++) {
                    for (int j = 0; j < Math.min(c, sc - fromColumn); j++) {
                        for (int t = 0; t < time; t++) {
                            cell(base, i, j, t, fromRow, fromColumn, time);
                        }
                    }
                }
            }
        }
    }

    private static long[] idle(int ports) {
        long[] row = new long[ports];
        Arrays.fill(row, NONE);
        return row;
    }

    /** Requests of array element (i, j) in step t. */
    private void cell(int base, int i, int j, int t, int fromRow, int fromColumn, int time) {
        int r = array.rows();
        int row = fromRow + i;
        int column = fromColumn + j;
        switch (array.dataflow()) {
            case OS -> {
                image.get(base + t + i)[i] = imageMatrix[row][t];
                filter.get(base + t + j)[j] = filterMatrix[t][column];
                output.get(base + time - 1 + r - 1 - i + j)[j] = outputMatrix[row][column];
            }
            case WS -> {
                filter.get(base + r - 1 - i)[j] = filterMatrix[row][column];
                image.get(base + r + t + i)[i] = imageMatrix[t][row];
                output.get(base + 2 * r - 1 + t + j)[j] = outputMatrix[t][column];
            }
            case IS -> {
                image.get(base + r - 1 - i)[j] = imageMatrix[column][row];
                filter.get(base + r + t + i)[i] = filterMatrix[row][t];
                output.get(base + 2 * r - 1 + t + j)[j] = outputMatrix[column][t];
            }
        }
    }

    int cycles() {
        return image.size();
    }

    /** First and last cycle with a request for a word. */
    TrafficSpan requests(Role role) {
        List<long[]> rows = rows(role);
        long words = 0;
        long first = -1;
        long last = -1;
        for (int cycle = 0; cycle < rows.size(); cycle++) {
            long count = Arrays.stream(rows.get(cycle)).filter(a -> a != NONE).count();
            words += count;
            if (count > 0) {
                first = first < 0 ? cycle : first;
                last = cycle;
            }
        }
        return new TrafficSpan(first, last, words);
    }

    /** One line per cycle: arrival of its words, then one address per port. */
    List<String> trace(Role role, int latency) {
        List<String> lines = new ArrayList<>();
        for (int cycle = 0; cycle < cycles(); cycle++) {
            StringBuilder line = new StringBuilder().append(cycle + latency);
            for (long address : rows(role).get(cycle)) {
                line.append(',').append(address);
            }
            lines.add(line.toString());
        }
        return lines;
    }

    private List<long[]> rows(Role role) {
        return switch (role) {
            case IMAGE -> image;
            case FILTER -> filter;
            case OUTPUT -> output;
        };
    }

    /** Fetches when the bandwidth is calculated: a set that is cleared when full. */
    TrafficSpan fetches(Role role, long memoryWords) {
        long group = memoryWords / 100;
        long capacity = 50 * group;
        Set<Long> resident = new LinkedHashSet<>();
        long misses = 0;
        long flushed = -1;
        for (int cycle = 0; cycle < rows(role).size(); cycle++) {
            for (long address : rows(role).get(cycle)) {
                if (address != NONE && resident.add(address)) {
                    misses++;
                    if (resident.size() == capacity) {
                        resident.clear();
                        flushed = cycle;
                    }
                }
            }
        }
        if (flushed < 0) {
            long sets = (misses + group - 1) / group;
            return new TrafficSpan(-((sets * group + 9) / 10), -1, misses);
        }
        return new TrafficSpan(requests(role).start() - (capacity + 9) / 10, flushed + 1, misses);
    }

    /** Drains of the output, line by line, without stalls. */
    TrafficSpan drains(long memoryWords, int lineWords) {
        long keep = (memoryWords + 1) / 2;
        long perDrain = (memoryWords - keep + lineWords - 1) / lineWords;
        List<Integer> lines = new ArrayList<>();
        int open = 0;
        long free = memoryWords;
        long end = 0;
        long first = Long.MAX_VALUE;
        long written = 0;
        int drained = 0;
        for (int cycle = 0; cycle < output.size(); cycle++) {
            for (long address : output.get(cycle)) {
                if (address == NONE) {
                    continue;
                }
                free--;
                if (++open == lineWords) {
                    lines.add(open);
                    open = 0;
                }
                if (cycle >= end && free < keep) {
                    if (open > 0) {
                        lines.add(open);
                        open = 0;
                    }
                    int to = (int) Math.min(lines.size(), drained + perDrain);
                    long credited = (long) (to - drained) * lineWords - (lineWords - lines.get(to - 1));
                    end = (long) cycle + to - drained - 1;
                    drained = to;
                    free += credited;
                    written += credited;
                    first = Math.min(first, cycle);
                }
            }
        }
        if (open > 0) {
            lines.add(open);
        }
        long at = cycles() - 1L;
        while (drained < lines.size()) {
            int to = (int) Math.min(lines.size(), drained + perDrain);
            written += (long) (to - drained) * lineWords - (lineWords - lines.get(to - 1));
            first = Math.min(first, at);
            end = at + to - drained - 1;
            at = end + 1;
            drained = to;
        }
        return new TrafficSpan(first, end, written);
    }
}
