package dev.stagesim.sim.serving.memory;

import dev.stagesim.sim.core.IntList;
import dev.stagesim.sim.serving.request.UnitKeys;

/** The rules of one group: how many blocks a sequence needs, which it drops, and which can be found again. */
class GroupCache {
    final int id;
    final int size;
    final KvGroup group;
    final KvLayout layout;
    final BlockPool pool;
    final boolean drops;
    private final int cap;
    private final int unit;
    private final boolean matchesParts;
    private final boolean isShared;
    private final int alignment;
    private final IntList dropped = new IntList();
    private final IntList copies = new IntList();

    GroupCache(KvLayout layout, int id, BlockPool pool) {
        this.layout = layout;
        this.id = id;
        this.pool = pool;
        group = layout.groups().get(id);
        size = group.blockSize();
        drops = layout.dropsLastHit(id);
        cap = layout.admissionCap(id);
        unit = layout.unit();
        matchesParts = layout.matchesParts();
        isShared = layout.groups().size() > 1;
        alignment = layout.alignment();
    }

    static GroupCache of(KvLayout layout, int id, BlockPool pool) {
        return switch (layout.groups().get(id).kind()) {
            case FULL -> new GroupCache(layout, id, pool);
            case MAMBA -> new MambaCache(layout, id, pool);
            case SLIDING_WINDOW, CHUNKED_LOCAL, ROLLING_WINDOW -> new WindowCache(layout, id, pool);
        };
    }

    /** Leading tokens that a step no longer needs once {@code tokens} are computed. */
    int skipped(int tokens) {
        return 0;
    }

    /** Positions that a sequence takes when {@code slots} are asked for. */
    int places(int slots) {
        return slots;
    }

    /** Blocks that must be free for a request to get {@code slots} positions, {@code main} of them without drafts. */
    int need(Holding holding, Match match, int start, int slots, int main, boolean isCapped) {
        BlockTable table = holding.table(id);
        int required = KvLayout.ceilDiv(places(slots), size);
        if (isCapped && cap >= 0) {
            required = Math.min(required, cap);
        }
        if (table.offered >= 0) {
            return Math.max(required - table.length(), 0);
        }
        IntList hits = match.blocks(id);
        int gone = skipped(start) / size;
        int need = Math.max(required - Math.max(gone, hits.size() + table.length()), 0);
        return need + idle(hits, Math.max(0, gone - table.length())) + (endsInside(match) ? 1 : 0);
    }

    /** Hit blocks from a position on that are in the queue. */
    final int idle(IntList hits, int from) {
        int count = 0;
        for (int i = from; i < hits.size(); i++) {
            if (pool.isIdle(hits.get(i))) {
                count++;
            }
        }
        return count;
    }

    /** Whether a match ends inside a block of this group, which then must be copied. */
    final boolean endsInside(Match match) {
        return matchesParts && match.tokens() % size != 0 && !match.blocks(id).isEmpty();
    }

    /** Lets go of what attention no longer needs. */
    void drop(Holding holding, int processed) {
        dropRange(holding.table(id), 0, skipped(processed) / size);
    }

    /** Tokens that the blocks of a sequence have room for. */
    final int room(Holding holding) {
        return holding.table(id).length() * size - places(0);
    }

    /** Known tokens at which a sequence has a block to offer the next time. */
    final int nextOffer(Holding holding) {
        if (!layout.caches()) {
            return Integer.MAX_VALUE;
        }
        int next = (Math.max(holding.table(id).offered, 0) + 1) * size;
        int step = isShared && !matchesParts && !drops ? alignment : size;
        return KvLayout.ceilDiv(next, step) * step + layout.draftReach();
    }

    /** Processed tokens at which a sequence of which so many are drops something the next time. */
    int nextDrop(Holding holding, int processed) {
        return Integer.MAX_VALUE;
    }

    /** Replaces the entries from {@code until} - 1 down to {@code from}, or to the first that is gone. */
    final void dropRange(BlockTable table, int from, int until) {
        int at = Math.min(until, table.length()) - 1;
        if (at < from || table.blocks.get(at) == BlockPool.NULL) {
            return;
        }
        dropped.clear();
        while (at >= from && table.blocks.get(at) != BlockPool.NULL) {
            dropped.add(table.blocks.get(at));
            table.blocks.set(at, BlockPool.NULL);
            at--;
        }
        pool.release(dropped);
    }

    final void dropOne(BlockTable table, int position) {
        dropRange(table, position, position + 1);
    }

    /** Begins a table with the blocks of a match. */
    final void adopt(BlockTable table, Match match, int start) {
        IntList hits = match.blocks(id);
        int gone = skipped(start) / size;
        table.blocks.fill(gone, BlockPool.NULL);
        for (int i = gone; i < hits.size(); i++) {
            pool.touch(hits.get(i));
            table.blocks.add(hits.get(i));
        }
        table.offered = endsInside(match) ? table.length() - 1 : table.length();
    }

    /** Adds blocks for tokens that come from elsewhere. */
    final void receive(BlockTable table, int start, int external) {
        if (start - skipped(start) > 0 && external > 0) {
            takeUpTo(table, KvLayout.ceilDiv(start, size));
        }
    }

    /** Adds the blocks of a step. */
    void extend(Holding holding, Match match, int slots, int main) {
        BlockTable table = holding.table(id);
        if (endsInside(match)) {
            copyShared(table, match.tokens() / size);
        }
        takeUpTo(table, KvLayout.ceilDiv(places(slots), size));
    }

    final void takeUpTo(BlockTable table, int length) {
        table.blocks.reserve(length);
        for (int i = table.length(); i < length; i++) {
            table.blocks.add(pool.take());
        }
    }

    /** Puts a copy in the place of a block that others use too. */
    final void copyShared(BlockTable table, int position) {
        int shared = table.blocks.get(position);
        int copy = pool.take();
        table.blocks.set(position, copy);
        // Both are held until the step has been handed out, since it copies one to the other.
        pool.touch(copy);
        noteCopy(shared, copy);
    }

    final void noteCopy(int source, int target) {
        copies.add(source);
        copies.add(target);
    }

    /** Copies since they were cleared last: source, target, source, ... */
    final IntList copies() {
        return copies;
    }

    /** How far a group offers blocks when {@code tokens} are known. */
    final int offeredTokens(int tokens) {
        int upTo = isShared && !matchesParts ? tokens - tokens % alignment : tokens;
        return drops && upTo > 0 ? Math.min(tokens, upTo + size) : upTo;
    }

    /** Gives keys to the blocks that are full at {@code tokens}. */
    void offer(Holding holding, int tokens) {
        int upTo = offeredTokens(tokens);
        offerBlocks(holding, upTo);
        if (group.isFull() && size != unit) {
            offerPart(holding, upTo);
        }
    }

    final void offerBlocks(Holding holding, int upTo) {
        BlockTable table = holding.table(id);
        int full = upTo / size;
        int from = Math.max(table.offered, 0);
        if (full <= from) {
            return;
        }
        for (int i = from; i < full; i++) {
            int block = table.blocks.get(i);
            if (holding.isAlone) {
                pool.keys().addUnseen(block);
            } else if (block != BlockPool.NULL && keeps(holding, i)) {
                int end = (i + 1) * size;
                pool.keys().dropBelow(block, end);
                addKey(block, keyAt(holding.keys(), end), end);
            }
        }
        table.offered = full;
    }

    /** Lets the keys be found that only the holder could ask for. */
    final void show(Holding holding) {
        BlockTable table = holding.table(id);
        for (int i = 0; i < table.offered; i++) {
            int end = (i + 1) * size;
            pool.keys().show(id, table.blocks.get(i), keyAt(holding.keys(), end), end);
        }
    }

    /** The block with the last unit of the prompt can be found too, although it is not full. */
    private void offerPart(Holding holding, int upTo) {
        int end = lastUnit(holding);
        if (end % size != 0 && upTo >= end) {
            addPart(holding.table(id).blocks.get(end / size), keyAt(holding.keys(), end), end);
        }
    }

    final int lastUnit(Holding holding) {
        return holding.promptTokens() / unit * unit;
    }

    final void addPart(int block, long key, int end) {
        if (!pool.keys().carries(block, key)) {
            pool.keys().dropBelow(block, end);
            addKey(block, key, end);
        }
    }

    void addKey(int block, long key, int end) {
        pool.keys().add(id, block, key, end);
    }

    /** Whether a full block is worth a key. */
    boolean keeps(Holding holding, int position) {
        return true;
    }

    /** The key of everything up to a token, which is the end of a unit. */
    final long keyAt(UnitKeys keys, int end) {
        return keys.key(end / unit - 1);
    }

    /** Forgets what holds for one step only. */
    void beginStep() {}
}
