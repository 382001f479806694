package dev.stagesim.sim.serving.memory;

import dev.stagesim.sim.core.IntList;
import dev.stagesim.sim.serving.request.UnitKeys;

/** The rules of one group of layers: which blocks a sequence needs, drops and offers to the prefix cache. */
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
    private final int reach;
    private final boolean caches;
    /** Multiple of tokens at which blocks are offered. */
    private final int offerStep;

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
        reach = layout.draftReach();
        caches = layout.caches();
        offerStep = isShared && !matchesParts && !drops ? alignment : size;
    }

    static GroupCache of(KvLayout layout, int id, BlockPool pool) {
        return switch (layout.groups().get(id).kind()) {
            case FULL -> new GroupCache(layout, id, pool);
            case MAMBA -> new MambaCache(layout, id, pool);
            case SLIDING_WINDOW, CHUNKED_LOCAL, ROLLING_WINDOW -> new WindowCache(layout, id, pool);
        };
    }

    /** Returns the leading tokens that the next step does not need after {@code tokens} tokens are computed. */
    int skipped(int tokens) {
        return 0;
    }

    /** Returns the positions that a sequence uses for {@code slots} tokens. */
    int places(int slots) {
        return slots;
    }

    /**
     * Returns the number of free blocks that a request needs for {@code slots} positions; all but the first {@code
     * main} are for drafts.
     */
    int need(RequestBlocks requestBlocks, Match match, int start, int slots, int main, boolean isCapped) {
        BlockTable table = requestBlocks.table(id);
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

    /** Returns the number of hit blocks from a position on that are in the queue of free blocks. */
    final int idle(IntList hits, int from) {
        int count = 0;
        for (int i = from; i < hits.size(); i++) {
            if (pool.isIdle(hits.get(i))) {
                count++;
            }
        }
        return count;
    }

    /** Returns true if a match ends inside a block of this group, which must then be copied. */
    final boolean endsInside(Match match) {
        return matchesParts && match.tokens() % size != 0 && !match.blocks(id).isEmpty();
    }

    /** Releases the blocks that attention no longer needs. */
    void drop(RequestBlocks requestBlocks, int processed) {
        dropRange(requestBlocks.table(id), 0, skipped(processed) / size);
    }

    /** Returns the tokens that fit into the blocks of a sequence. */
    final int room(RequestBlocks requestBlocks) {
        return requestBlocks.table(id).length() * size - places(0);
    }

    /** Returns the sequence length at which the next block can be offered. */
    final int nextOffer(RequestBlocks requestBlocks) {
        if (!caches) {
            return Integer.MAX_VALUE;
        }
        int next = (Math.max(requestBlocks.table(id).offered, 0) + 1) * size;
        return (offerStep == size ? next : KvLayout.ceilDiv(next, offerStep) * offerStep) + reach;
    }

    /** Returns the number of processed tokens at which a sequence next drops a block. */
    int nextDrop(RequestBlocks requestBlocks, int processed) {
        return Integer.MAX_VALUE;
    }

    /**
     * Replaces the entries from {@code until} - 1 down to {@code from} with the null block; stops at the first dropped
     * entry.
     */
    final void dropRange(BlockTable table, int from, int until) {
        int at = Math.min(until, table.length()) - 1;
        if (at < from || table.blocks.get(at) == BlockPool.NULL) {
            return;
        }
        dropped.clear();
        while (at >= from && table.blocks.get(at) != BlockPool.NULL) {
            int block = table.blocks.get(at);
            if (pool.keys().isUnseen(block)) {
                table.shed.add(at);
                table.shed.add(block);
            }
            dropped.add(block);
            table.blocks.set(at, BlockPool.NULL);
            at--;
        }
        pool.release(dropped);
    }

    final void dropOne(BlockTable table, int position) {
        dropRange(table, position, position + 1);
    }

    /** Starts a table with the blocks of a match. */
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

    /** Adds blocks for tokens of the KV connector. */
    final void receive(BlockTable table, int start, int external) {
        if (start - skipped(start) > 0 && external > 0) {
            takeUpTo(table, KvLayout.ceilDiv(start, size));
        }
    }

    /** Allocates the blocks of a step. */
    void extend(RequestBlocks requestBlocks, Match match, int slots, int main) {
        BlockTable table = requestBlocks.table(id);
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

    /** Replaces a block that other requests also use with a copy. */
    final void copyShared(BlockTable table, int position) {
        int shared = table.blocks.get(position);
        int copy = pool.take();
        table.blocks.set(position, copy);
        // both blocks are referenced until the step has been processed, because the step copies between them
        pool.touch(copy);
        noteCopy(shared, copy);
    }

    final void noteCopy(int source, int target) {
        copies.add(source);
        copies.add(target);
    }

    /** Returns the copies since the list was last cleared: source, target, source, ... */
    final IntList copies() {
        return copies;
    }

    /** Returns the position up to which a group offers blocks of a sequence of {@code tokens} tokens. */
    final int offeredTokens(int tokens) {
        int settled = Math.max(0, tokens - reach);
        if (!isShared) {
            return settled;
        }
        int upTo = aligned(tokens);
        return drops && upTo > 0 ? Math.min(settled, aligned(settled) + size) : upTo;
    }

    private int aligned(int tokens) {
        return matchesParts ? tokens : tokens - tokens % alignment;
    }

    /** Returns the leading tokens of a sequence that its keys cover. */
    final int keyedTokens(RequestBlocks requestBlocks) {
        return Math.max(requestBlocks.known - layout.keyedAhead(), 0) / unit * unit;
    }

    /** Adds keys to the blocks that are full at {@code tokens} tokens. */
    void offer(RequestBlocks requestBlocks, int tokens) {
        int upTo = offeredTokens(tokens);
        offerBlocks(requestBlocks, upTo);
        if (group.isFull() && size != unit) {
            offerPart(requestBlocks, upTo);
        }
    }

    final void offerBlocks(RequestBlocks requestBlocks, int upTo) {
        BlockTable table = requestBlocks.table(id);
        int full = Math.min(upTo, keyedTokens(requestBlocks)) / size;
        int from = Math.max(table.offered, 0);
        if (full <= from) {
            return;
        }
        for (int i = from; i < full; i++) {
            int block = table.blocks.get(i);
            if (block == BlockPool.NULL || !keeps(requestBlocks, i)) {
                continue;
            }
            if (requestBlocks.isUnique) {
                pool.keys().addUnseen(block, owner(requestBlocks, i));
            } else {
                int end = (i + 1) * size;
                pool.keys().dropBelow(block, end);
                addKey(block, keyAt(requestBlocks.keys(), end), end);
            }
        }
        table.offered = full;
    }

    /** Makes the hidden keys of a request available for lookups. */
    final void show(RequestBlocks requestBlocks) {
        BlockTable table = requestBlocks.table(id);
        for (int i = 0; i < table.offered; i++) {
            show(requestBlocks, i, table.blocks.get(i));
        }
        for (int i = 0; i < table.shed.size(); i += 2) {
            show(requestBlocks, table.shed.get(i), table.shed.get(i + 1));
        }
    }

    private void show(RequestBlocks requestBlocks, int position, int block) {
        int end = (position + 1) * size;
        pool.keys().show(id, block, owner(requestBlocks, position), keyAt(requestBlocks.keys(), end), end);
    }

    private static long owner(RequestBlocks requestBlocks, int position) {
        return (long) requestBlocks.spec().index() << Integer.SIZE | position;
    }

    /** Offers the block with the last unit of the prompt, although it is not full. */
    private void offerPart(RequestBlocks requestBlocks, int upTo) {
        boolean leavesToken = layout.rules().leavesTokenAfterState() && !drops;
        int end = Math.min(
                (requestBlocks.promptTokens() - (leavesToken ? 1 : 0)) / unit * unit, keyedTokens(requestBlocks));
        if (end > 0 && end % size != 0 && upTo >= end) {
            addPart(requestBlocks.table(id).blocks.get(end / size), keyAt(requestBlocks.keys(), end), end);
        }
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

    /** Returns true if a full block gets a key. */
    boolean keeps(RequestBlocks requestBlocks, int position) {
        return true;
    }

    /** Returns the key of all tokens up to {@code end}, the end of a unit. */
    final long keyAt(UnitKeys keys, int end) {
        return keys.key(end / unit - 1);
    }

    /** Clears the state of the last step. */
    void beginStep() {}
}
