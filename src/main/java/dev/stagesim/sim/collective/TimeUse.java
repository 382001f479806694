package dev.stagesim.sim.collective;

import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * How an NPU spends its time, summed while nodes end.
 *
 * <p>Intervals of one kind count once where they overlap. They come in order of their ends, so a stack of disjoint
 * intervals suffices, and it folds into a sum whenever nothing of the kind runs.
 */
final class TimeUse {
    private static final long[] EMPTY = {};

    /** Union of the intervals of one kind. */
    private static final class Union {
        private long[] starts = EMPTY;
        private long[] ends = EMPTY;
        private int count;
        private long folded;
        private boolean isPresent;

        /** Adds an interval that ends no earlier than those before. */
        void add(long start, long end, boolean isLast) {
            isPresent = true;
            long from = start;
            while (count > 0 && ends[count - 1] >= from) {
                from = Math.min(from, starts[--count]);
            }
            if (isLast) {
                folded += end - from;
                for (int i = 0; i < count; i++) {
                    folded += ends[i] - starts[i];
                }
                count = 0;
                return;
            }
            if (count == starts.length) {
                int size = Math.max(4, count * 2);
                starts = Arrays.copyOf(starts, size);
                ends = Arrays.copyOf(ends, size);
            }
            starts[count] = from;
            ends[count++] = end;
        }

        long length() {
            long sum = folded;
            for (int i = 0; i < count; i++) {
                sum += ends[i] - starts[i];
            }
            return sum;
        }

        OptionalLong lengthIfPresent() {
            return isPresent ? OptionalLong.of(length()) : OptionalLong.empty();
        }
    }

    private final Union gpu = new Union();
    private final Union comm = new Union();
    private final Union cpu = new Union();
    private final Union memory = new Union();
    private int runningComm;
    private boolean isReference = true;
    private long wall;

    /** What computations were meant to take, the basis of the exposed communication. */
    private long planned;

    private double weight;
    private double bound;
    private double compute;
    private double memoryShare;
    private double intensity;

    /** A node that communicates has begun. */
    void commBegins() {
        runningComm++;
    }

    void gpuPlanned(long ns) {
        planned += ns;
    }

    /** GPU time that was planned. */
    long gpuPlanned() {
        return planned;
    }

    void gpuEnds(long start, long end) {
        gpu.add(start, end, true);
        wall = Math.max(wall, end);
    }

    void commEnds(long start, long end) {
        runningComm--;
        comm.add(start, end, runningComm == 0);
        wall = Math.max(wall, end);
    }

    void cpuEnds(long start, long end) {
        cpu.add(start, end, true);
        isReference = false;
        wall = Math.max(wall, end);
    }

    void memoryEnds(long start, long end) {
        memory.add(start, end, true);
        isReference = false;
        wall = Math.max(wall, end);
    }

    void invalidEnds(long end) {
        isReference = false;
        wall = Math.max(wall, end);
    }

    /** A computation under the roofline: its operations per byte, performance, and the limits. */
    void roofline(long ns, double perByte, double performance, double peak, double bandwidth) {
        weight += ns;
        bound += performance >= peak ? ns : 0;
        compute += performance / peak * ns;
        memoryShare += performance / perByte / bandwidth * ns;
        intensity += perByte * ns;
    }

    NpuStatistics statistics(boolean withRoofline) {
        long overlap = gpu.length() + comm.length() - wall;
        Optional<NpuStatistics.Utilization> utilization = Optional.empty();
        if (withRoofline) {
            double total = weight + 1;
            utilization = Optional.of(new NpuStatistics.Utilization(
                    bound / total, compute / total, memoryShare / total, intensity / total));
        }
        return new NpuStatistics(
                wall,
                gpu.lengthIfPresent(),
                comm.lengthIfPresent(),
                cpu.lengthIfPresent(),
                memory.lengthIfPresent(),
                Math.max(0, overlap),
                utilization,
                isReference);
    }
}
