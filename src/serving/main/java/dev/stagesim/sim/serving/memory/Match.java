package dev.stagesim.sim.serving.memory;

import dev.stagesim.sim.core.IntList;

/** What a lookup found: a prefix whose blocks can be used again. */
public final class Match {
    private final IntList[] blocks;
    private int tokens;

    Match(int groups) {
        blocks = new IntList[groups];
        for (int i = 0; i < groups; i++) {
            blocks[i] = new IntList();
        }
    }

    /** Tokens of the prefix. */
    public int tokens() {
        return tokens;
    }

    void tokens(int found) {
        tokens = found;
    }

    /** The blocks of a group, 0 where none is needed. */
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

    /** Empties it. */
    public void clear() {
        tokens = 0;
        for (IntList list : blocks) {
            list.clear();
        }
    }
}
