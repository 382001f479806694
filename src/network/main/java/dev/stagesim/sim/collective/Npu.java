package dev.stagesim.sim.collective;

import dev.stagesim.sim.collective.result.NpuStatistics;
import dev.stagesim.sim.collective.trace.RankTrace;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalLong;

/** State of one NPU: its progress in the trace, its slots and its counters. */
final class Npu {
    private static final int[] EMPTY = {};
    private static final long[] NO_TIMES = {};

    /** Slots with capacity one; receives have unlimited capacity. */
    static final int CPU = 0;

    static final int GPU = 1;
    static final int COMM = 2;
    static final int RECEIVE = 3;

    final int rank;
    final RankTrace trace;
    final NodePlans plans;
    final TimeUse use = new TimeUse();

    /** Unfinished parents of each node. */
    final int[] waitsFor;

    /** Ready nodes, by slot. */
    final IntHeap[] free = {new IntHeap(), new IntHeap(), new IntHeap(), new IntHeap()};

    /** Running nodes in each slot. */
    final int[] inSlot = new int[4];

    /** Nodes that became ready and are not in {@link #free} yet. */
    int[] freed = EMPTY;

    int freedCount;

    /** Running nodes and their start times, unordered. */
    int[] running = EMPTY;

    long[] runningSince = NO_TIMES;
    int runningCount;

    int done;
    boolean isFinished;

    /** Number of NPUs that this one represents, including itself. */
    int multiplicity;

    /** Number of the next chunk. */
    int nextStream;

    /** Priority counter of LIFO and FIFO. */
    int priority;

    Npu(int rank, RankTrace trace, NodePlans plans) {
        this.rank = rank;
        this.trace = trace;
        this.plans = plans;
        this.waitsFor = trace.parents.clone();
    }

    void addFreed(int node) {
        if (freedCount == freed.length) {
            freed = Arrays.copyOf(freed, Math.max(4, freedCount * 2));
        }
        freed[freedCount++] = node;
    }

    boolean hasReadyNode() {
        return freedCount > 0 || !free[0].isEmpty() || !free[1].isEmpty() || !free[2].isEmpty() || !free[3].isEmpty();
    }

    void begin(int node, long now) {
        if (runningCount == running.length) {
            int size = Math.max(4, runningCount * 2);
            running = Arrays.copyOf(running, size);
            runningSince = Arrays.copyOf(runningSince, size);
        }
        running[runningCount] = node;
        runningSince[runningCount++] = now;
    }

    /** Removes a running node and returns its start time. */
    long end(int node) {
        int at = runningCount - 1;
        while (running[at] != node) {
            at--;
        }
        long since = runningSince[at];
        runningCount--;
        running[at] = running[runningCount];
        runningSince[at] = runningSince[runningCount];
        return since;
    }

    /**
     * Time use of an NPU, updated when nodes end.
     *
     * <p>Overlapping intervals of one kind count once. They are added in the order of their ends, so a stack of
     * disjoint intervals suffices; it is reduced to a sum whenever no node of the kind runs.
     */
    static final class TimeUse {
        private static final long[] EMPTY = {};

        /** Length of the union of intervals. */
        private static final class Union {
            private long[] starts = EMPTY;
            private long[] ends = EMPTY;
            private int count;
            private long folded;
            private boolean isPresent;

            /** Adds an interval that does not end before the earlier ones. */
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

        /** Planned computation time in ns, the basis of the exposed communication. */
        private long planned;

        private double weight;
        private double bound;
        private double compute;
        private double memoryShare;
        private double intensity;

        /** Records the start of a communication node. */
        void commBegins() {
            runningComm++;
        }

        void gpuPlanned(long ns) {
            planned += ns;
        }

        /** Planned GPU time in ns. */
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

        /** Records a roofline computation: its intensity (operations per byte), performance, and the limits. */
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
}
