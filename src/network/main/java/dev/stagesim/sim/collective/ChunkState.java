package dev.stagesim.sim.collective;

import dev.stagesim.sim.collective.procedure.Chunk;
import dev.stagesim.sim.collective.procedure.ChunkRun;
import dev.stagesim.sim.collective.procedure.CollectiveKind;
import dev.stagesim.sim.collective.procedure.Phase;
import org.jspecify.annotations.Nullable;

/** One chunk of a collective on one NPU and its position in a queue. Objects are reused for later chunks. */
final class ChunkState extends Chunk {
    final int slot;
    private final Collectives collectives;
    Npu npu;
    NodePlan plan;
    ActiveCollective owner;
    int tag;
    int priority;

    /** Phases in the order of execution; empty for a custom collective. */
    Phase[] phases = {};

    /** By phase: 4 x queue + 2 if anticlockwise + 1 for the second tree shape. */
    int[] choices = {};

    int phaseIndex;
    boolean isStarted;

    @Nullable
    ChunkState predecessor;

    @Nullable
    ChunkState successor;

    @Nullable
    Phase phase;

    /** State of the current phase. */
    @Nullable
    ChunkRun run;

    ChunkState(int slot, Npu npu, NodePlan plan, ActiveCollective owner, Collectives collectives) {
        this.slot = slot;
        this.npu = npu;
        this.plan = plan;
        this.owner = owner;
        this.collectives = collectives;
    }

    /** The current phase, which must have started. */
    Phase running() {
        return begun(phase);
    }

    /** State of the current phase, which must have started and not ended. */
    ChunkRun run() {
        return begun(run);
    }

    private static <T> T begun(@Nullable T value) {
        if (value == null) {
            throw new IllegalStateException("a chunk has no current phase");
        }
        return value;
    }

    /** Number of unfinished phases. */
    int phasesLeft() {
        return phases.length - phaseIndex;
    }

    /** Bytes at the start of the current phase. */
    long size() {
        return phases.length == 0 ? 0 : phases[phaseIndex].size();
    }

    boolean isGathering() {
        return phases.length > 0 && phases[phaseIndex].kind() == CollectiveKind.ALL_GATHER;
    }

    int queue() {
        return choices[phaseIndex] >> 2;
    }

    @Override
    public int rank() {
        return npu.rank;
    }

    @Override
    public void out(long size) {
        collectives.endpoints().out(this, size);
    }

    @Override
    public void in(long size, boolean isReduced, boolean isSentBack) {
        collectives.endpoints().in(this, size, isReduced, isSentBack);
    }

    @Override
    public void send(int to, long size) {
        collectives.links().send(this, to, size);
    }

    @Override
    public void receive(int from, long size) {
        collectives.links().receive(this, from, size);
    }

    @Override
    public void endPhase() {
        collectives.phaseEnds(this);
    }

    @Override
    public boolean isAnticlockwise() {
        return (choices[phaseIndex] & 2) != 0;
    }

    @Override
    public boolean isSecondShape() {
        return (choices[phaseIndex] & 1) != 0;
    }
}
