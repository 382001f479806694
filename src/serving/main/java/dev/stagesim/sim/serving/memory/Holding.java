package dev.stagesim.sim.serving.memory;

import dev.stagesim.sim.core.IntList;
import dev.stagesim.sim.serving.request.RequestSpec;
import dev.stagesim.sim.serving.request.UnitKeys;

/** What one request holds of a cache. */
public final class Holding {
    private RequestSpec spec;
    private UnitKeys keys;
    private final BlockTable[] tables;
    /** A length at which one kind of layers had a hit and another had not; 0 when there is none. */
    int sharedBoundary;
    /** Whether blocks were given and not let go of. */
    boolean isOpen;
    /** Whether the last growth gave nothing. */
    boolean isQuiet;
    /** Whether nobody else can have its tokens, and it has held no block before: its keys need not be found. */
    boolean isAlone;
    /** Tokens that its blocks hold, processed ones at which it leaves one behind, and known ones at which it has filled one. */
    int room;

    int nextDrop;
    int nextOffer;

    Holding(RequestSpec spec, int unit, int groups) {
        this.spec = spec;
        this.keys = new UnitKeys(spec, unit);
        this.tables = new BlockTable[groups];
        for (int i = 0; i < groups; i++) {
            tables[i] = new BlockTable();
        }
    }

    /** The request goes on as another, which has its tokens so far. */
    void extend(RequestSpec longer, int unit) {
        spec = longer;
        keys = new UnitKeys(longer, unit);
    }

    public RequestSpec spec() {
        return spec;
    }

    UnitKeys keys() {
        return keys;
    }

    BlockTable table(int group) {
        return tables[group];
    }

    /** Its blocks in a group, by position; 0 where none is needed any more. */
    public IntList blocks(int group) {
        return tables[group].blocks;
    }

    /** Position of the first block in a group that the last growth gave. */
    public int firstNew(int group) {
        return isQuiet ? tables[group].length() : tables[group].handedOut;
    }

    int promptTokens() {
        return spec.promptTokens();
    }
}
