package dev.stagesim.sim.collective;

import java.util.Arrays;

/** Chunks by slot; slots of finished chunks are reused. */
final class Streams {
    private Stream[] all = new Stream[64];
    private int made;
    private int[] free = new int[64];
    private int freeCount;

    Stream get(int slot) {
        return all[slot];
    }

    Stream take(Npu npu, NodePlan plan, ActiveCollective owner) {
        if (freeCount > 0) {
            Stream stream = all[free[--freeCount]];
            stream.npu = npu;
            stream.plan = plan;
            stream.owner = owner;
            return stream;
        }
        if (made == all.length) {
            all = Arrays.copyOf(all, made * 2);
        }
        Stream stream = new Stream(made, npu, plan, owner);
        all[made++] = stream;
        return stream;
    }

    void release(Stream stream) {
        stream.run = null;
        stream.phase = null;
        if (freeCount == free.length) {
            free = Arrays.copyOf(free, freeCount * 2);
        }
        free[freeCount++] = stream.slot;
    }
}
