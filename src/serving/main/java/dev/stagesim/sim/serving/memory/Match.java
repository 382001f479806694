package dev.stagesim.sim.serving.memory;

import dev.stagesim.sim.core.IntList;

/** The result of a lookup: a prefix with reusable blocks. */
public final class Match {
    private final IntList[] blocks;
    private int tokens;

    Match(int groups) {
        blocks = new IntList[groups];
        for (int i = 0; i < groups; i++) {
            blocks[i] = new IntList();
        }
    }

    /** Returns the tokens of the prefix. */
    public int tokens() {
        return tokens;
    }

    void tokens(int found) {
        tokens = found;
    }

    /** Returns the blocks of a group; 0 for positions that need no memory. */
    IntList blocks(int group) {
        return blocks[group];
    }

    boolean hasBlocks() {
        for (IntList list : blocks) {
            if (!list.isEmpty()) {
                return true;
            }
        }
        return false;
    }

    /** Removes all blocks. */
    void clear() {
        tokens = 0;
        for (IntList list : blocks) {
            list.clear();
        }
    }
}
