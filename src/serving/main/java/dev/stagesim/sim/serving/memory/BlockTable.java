package dev.stagesim.sim.serving.memory;

import dev.stagesim.sim.core.IntList;

/** The blocks of one request in one group, by position in the sequence. */
final class BlockTable {
    /** No block or position. */
    static final int NONE = -1;

    final IntList blocks = new IntList();
    /** Blocks with hidden keys that the request has dropped: position, block, position, ... */
    final IntList shed = new IntList();
    /** Number of leading blocks that were offered to the cache, or {@link #NONE} before the first offer. */
    int offered = NONE;
    /** Length before the last allocation. */
    int handedOut;
    /** Mamba: position of the state that the next step reads. */
    int lastState = NONE;
    /** Mamba: whether blocks for running states are allocated. */
    boolean hasStates;
    /** Mamba: position in tokens of the state that a step saves inside its chunk, or 0 for none, and its block. */
    int checkpoint;

    int checkpointBlock;
    /** Mamba: number of leading blocks whose states have been released. */
    int retired;
    /** Block with the last part of the prompt, which must be copied before a write. */
    int boundaryBlock = NONE;

    int length() {
        return blocks.size();
    }

    void forget() {
        blocks.clear();
        shed.clear();
        offered = NONE;
        handedOut = 0;
        lastState = NONE;
        hasStates = false;
        checkpoint = 0;
        retired = 0;
        boundaryBlock = NONE;
    }
}
