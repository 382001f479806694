package dev.stagesim.sim.collective;

import dev.stagesim.sim.core.LongIndex;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What NPUs sent of which one stands for many, kept by sender and move, and told pair by pair at the end. */
final class Traffic {
    private final int npus;
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

    /** A message by a move, of which there is a step where it is along a ring. */
    void add(int source, int destination, int move, @Nullable Step step, long size) {
        long key = (long) move * npus + source;
        int at = index.get(key);
        if (at < 0) {
            at = sums.size();
            index.put(key, at);
            sums.add(new Sum(source, destination, step));
        }
        sums.get(at).messages++;
        sums.get(at).bytes += size;
    }

    /** Tells what every NPU sent to every other. */
    void tell(NpuClasses classes, SimulationObserver observer) {
        for (Sum sum : sums) {
            for (int rank : classes.members(classes.classOf(sum.source))) {
                int peer = sum.step == null ? sum.destination : sum.step.peer(rank);
                observer.traffic(rank, peer, sum.messages, sum.bytes);
            }
        }
    }
}
