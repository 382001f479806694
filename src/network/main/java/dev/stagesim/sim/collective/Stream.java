package dev.stagesim.sim.collective;

import org.jspecify.annotations.Nullable;

/** One chunk of a collective on one NPU and its position in a queue. Objects are reused for later chunks. */
final class Stream {
    final int slot;
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
    Stream predecessor;

    @Nullable
    Stream successor;

    @Nullable
    Phase phase;

    /** State of the current phase. */
    @Nullable
    Run run;

    Stream(int slot, Npu npu, NodePlan plan, ActiveCollective owner) {
        this.slot = slot;
        this.npu = npu;
        this.plan = plan;
        this.owner = owner;
    }

    /** The current phase, which must have started. */
    Phase running() {
        return begun(phase);
    }

    /** State of the current phase, which must have started and not ended. */
    Run run() {
        return begun(run);
    }

    private static <T> T begun(@Nullable T value) {
        if (value == null) {
            throw new IllegalStateException("something happened to a chunk outside its phases");
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

    boolean isAnticlockwise() {
        return (choices[phaseIndex] & 2) != 0;
    }

    boolean isSecondShape() {
        return (choices[phaseIndex] & 1) != 0;
    }
}
