package dev.stagesim.sim.collective;

import java.util.Arrays;

/** Chunks by slot; slots of finished chunks are reused. */
final class Streams {
    private ChunkState[] all = new ChunkState[64];
    private int made;
    private int[] free = new int[64];
    private int freeCount;

    ChunkState get(int slot) {
        return all[slot];
    }

    ChunkState take(Npu npu, NodePlan plan, ActiveCollective owner, Collectives collectives) {
        if (freeCount > 0) {
            ChunkState stream = all[free[--freeCount]];
            stream.npu = npu;
            stream.plan = plan;
            stream.owner = owner;
            return stream;
        }
        if (made == all.length) {
            all = Arrays.copyOf(all, made * 2);
        }
        ChunkState stream = new ChunkState(made, npu, plan, owner, collectives);
        all[made++] = stream;
        return stream;
    }

    void release(ChunkState stream) {
        stream.run = null;
        stream.phase = null;
        if (freeCount == free.length) {
            free = Arrays.copyOf(free, freeCount * 2);
        }
        free[freeCount++] = stream.slot;
    }
}
