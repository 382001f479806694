package dev.stagesim.sim.collective;

import org.jspecify.annotations.Nullable;

/** One chunk of a collective on one NPU and where it is queued; used again for later chunks. */
final class Stream {
    final int slot;
    Npu npu;
    NodePlan plan;
    ActiveCollective owner;
    int tag;
    int priority;

    /** Steps in the order that the chunk takes them; none for a custom collective. */
    Phase[] phases = {};

    /** Queue of each phase times four, plus 2 for anticlockwise, plus 1 for the second shape of tree. */
    int[] choices = {};

    int phaseIndex;
    boolean isStarted;

    @Nullable
    Stream before;

    @Nullable
    Stream behind;

    @Nullable
    Phase phase;

    /** What is done in the phase. */
    @Nullable
    Run run;

    Stream(int slot, Npu npu, NodePlan plan, ActiveCollective owner) {
        this.slot = slot;
        this.npu = npu;
        this.plan = plan;
        this.owner = owner;
    }

    /** The phase, which has begun. */
    Phase running() {
        return begun(phase);
    }

    /** What is done in the phase, which has begun and is not over. */
    Run run() {
        return begun(run);
    }

    private static <T> T begun(@Nullable T its) {
        if (its == null) {
            throw new IllegalStateException("something happened to a chunk outside its phases");
        }
        return its;
    }

    /** Phases that are not over. */
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
