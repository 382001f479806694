package dev.stagesim.sim.collective;

import dev.stagesim.sim.core.LongIndex;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What NPUs sent of which one stands for many, kept by sender and move, and told pair by pair at the end. */
final class Traffic {
    private final int npus;
    private final List<LogicalRing> rings = new ArrayList<>();
    private final LongIndex index = new LongIndex(16);
    private final List<Sum> sums = new ArrayList<>();

    /** What one NPU sent by one move; without a move, to one NPU. */
    private static final class Sum {
        final int source;
        final int destination;
        final @Nullable Step step;
        long messages;
        long bytes;

        Sum(int source, int destination, @Nullable Step step) {
            this.source = source;
            this.destination = destination;
            this.step = step;
        }
    }

    Traffic(int npus) {
        this.npus = npus;
    }

    /** A message, sent in a phase or by a node. */
    void add(int source, int destination, @Nullable Phase phase, long size) {
        int ring = phase == null ? 0 : 1 + ring(phase.ring());
        long key = ((long) ring * npus + source) * npus + destination;
        int at = index.get(key);
        if (at < 0) {
            at = sums.size();
            index.put(key, at);
            sums.add(new Sum(source, destination, phase == null ? null : Step.of(phase, source, destination)));
        }
        sums.get(at).messages++;
        sums.get(at).bytes += size;
    }

    private int ring(LogicalRing wanted) {
        for (int i = 0; i < rings.size(); i++) {
            if (rings.get(i).stride() == wanted.stride() && rings.get(i).size() == wanted.size()) {
                return i;
            }
        }
        rings.add(wanted);
        return rings.size() - 1;
    }

    /** Tells what every NPU sent to every other. */
    void tell(NpuClasses classes, SimulationObserver observer) {
        int[][] members = new int[classes.count()][];
        int[] found = new int[classes.count()];
        for (int number = 0; number < members.length; number++) {
            members[number] = new int[classes.size(number)];
        }
        for (int rank = 0; rank < npus; rank++) {
            int number = classes.classOf(rank);
            members[number][found[number]++] = rank;
        }
        for (Sum sum : sums) {
            for (int rank : members[classes.classOf(sum.source)]) {
                int peer = sum.step == null ? sum.destination : sum.step.peer(rank);
                observer.traffic(rank, peer, sum.messages, sum.bytes);
            }
        }
    }
}
