package dev.stagesim.sim.serving.memory;

import dev.stagesim.sim.core.IntList;
import dev.stagesim.sim.serving.request.RequestSpec;
import dev.stagesim.sim.serving.request.UnitKeys;

/** The cache blocks of one request. */
public final class RequestBlocks {
    private RequestSpec spec;
    private UnitKeys keys;
    private final BlockTable[] tables;
    /** Length at which one kind of layers had a hit and another one had not, or 0 if there is none. */
    int sharedBoundary;
    /** Whether blocks are allocated. */
    boolean isOpen;
    /** Whether the last step needed no block. */
    boolean isQuiet;
    /**
     * True if the keys of the request can stay hidden: no other request has its tokens, and it has not allocated a
     * block before.
     */
    boolean isUnique;
    /**
     * Tokens that fit into its blocks. The next fields are the processed tokens at which it next drops a block and the
     * length at which it next fills one.
     */
    int room;

    int nextDrop;
    int nextOffer;
    /** Tokens of prompt and accepted output at the last allocation or offer. */
    int known;

    RequestBlocks(RequestSpec spec, KvLayout layout) {
        this.spec = spec;
        this.keys = new UnitKeys(spec, layout.unit(), layout.keyedAhead());
        int groups = layout.groups().size();
        this.tables = new BlockTable[groups];
        for (int i = 0; i < groups; i++) {
            tables[i] = new BlockTable();
        }
    }

    /** Continues with a longer request that has the same leading tokens. */
    void extend(RequestSpec longer, KvLayout layout) {
        spec = longer;
        keys = new UnitKeys(longer, layout.unit(), layout.keyedAhead());
    }

    RequestSpec spec() {
        return spec;
    }

    UnitKeys keys() {
        return keys;
    }

    BlockTable table(int group) {
        return tables[group];
    }

    /** Returns its blocks in a group by position; 0 for positions that need no memory. */
    public IntList blocks(int group) {
        return tables[group].blocks;
    }

    /** Returns the position of the first block of a group in the last allocation. */
    public int firstNew(int group) {
        return isQuiet ? tables[group].length() : tables[group].handedOut;
    }

    /** Returns the token up to which the prompt, or the known tokens of a preempted request, are computed first. */
    int prefillEnd() {
        return Math.max(promptTokens(), known - 1);
    }

    int promptTokens() {
        return spec.promptTokens();
    }
}
