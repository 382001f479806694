package dev.stagesim.sim.serving.memory;

import dev.stagesim.sim.core.IntList;

/** The blocks of one request in one group, by position in the sequence. */
final class BlockTable {
    /** No block or position. */
    static final int NONE = -1;

    final IntList blocks = new IntList();
    /** Number of leading blocks that were offered to the cache, or {@link #NONE} before the first offer. */
    int offered = NONE;
    /** Length before the last allocation. */
    int handedOut;
    /** Mamba: position of the state that the next step reads. */
    int lastState = NONE;
    /** Mamba: whether blocks for running states are allocated. */
    boolean hasStates;
    /** Block with the last part of the prompt, which must be copied before a write. */
    int boundaryBlock = NONE;

    int length() {
        return blocks.size();
    }

    void forget() {
        blocks.clear();
        offered = NONE;
        handedOut = 0;
        lastState = NONE;
        hasStates = false;
        boundaryBlock = NONE;
    }
}
