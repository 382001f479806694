package dev.stagesim.sim.collective;

import org.jspecify.annotations.Nullable;

/**
 * One chunk of a collective on one NPU, with the state of the phase it is in; used again for later chunks.
 *
 * <p>The queue of packets that a procedure keeps is no list: packets are made and sent in one order, so two counters
 * say which are waiting, and the peers of the k-th follow from k.
 */
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

    @Nullable
    Procedure procedure;

    @Nullable
    CustomRun custom;

    int position;

    /** 1 clockwise, -1 anticlockwise. */
    int direction;

    long message;
    int zero;
    int nonzero;
    boolean toggle;
    int toSend;
    int free;
    int got;
    int made;
    int popped;

    /** Halving-doubling: distance to the peer, and what the packet in waiting is. */
    int offset;

    boolean isDoubling;
    long waitingMessage;
    int waitingPeer;

    /** Tree: ranks, or -1. */
    int parent;

    int left;
    int right;
    int generals;

    Stream(int slot, Npu npu, NodePlan plan, ActiveCollective owner) {
        this.slot = slot;
        this.npu = npu;
        this.plan = plan;
        this.owner = owner;
    }

    /** The phase, which has begun. */
    Phase running() {
        if (phase == null) {
            throw new IllegalStateException("no phase has begun");
        }
        return phase;
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
