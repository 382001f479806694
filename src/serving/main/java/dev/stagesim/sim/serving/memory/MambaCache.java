package dev.stagesim.sim.serving.memory;

import dev.stagesim.sim.core.IntList;
import java.util.LinkedHashSet;
import java.util.Set;

/** Layers with a recurrent state: a block contains the state after its last token. */
final class MambaCache extends GroupCache {
    private final int drafts;
    private final boolean isAligned;
    private final Retention retention;
    private final VllmRules rules;
    private final int unit;
    private final int hitUnit;
    private final IntList released = new IntList();
    private final Set<Long> writtenNow = new LinkedHashSet<>();

    MambaCache(KvLayout layout, int id, BlockPool pool) {
        super(layout, id, pool);
        drafts = group.speculativeBlocks();
        isAligned = group.isAligned();
        retention = new Retention(layout, id);
        rules = layout.rules();
        unit = layout.unit();
        hitUnit = layout.hitUnit();
    }

    @Override
    int skipped(int tokens) {
        return Math.max(0, tokens - 1);
    }

    @Override
    int places(int slots) {
        return slots + size * drafts;
    }

    @Override
    int need(RequestBlocks requestBlocks, Match match, int start, int slots, int main, boolean isCapped) {
        IntList hits = match.blocks(id);
        if (!hits.isEmpty() && isWrittenNow(hits.get(hits.size() - 1))) {
            // the step that is being planned writes the state, so no request can read it before the next step
            return layout.blocks() + 1;
        }
        BlockTable table = requestBlocks.table(id);
        if (!isAligned) {
            return super.need(requestBlocks, match, start, slots, main, isCapped);
        }
        boolean isPart = endsInside(match) || table.boundaryBlock >= 0;
        int need = KvLayout.ceilDiv(main, size) + drafts - hits.size() - table.length();
        if (isPart) {
            need = Math.max(need, 0) + 1;
        }
        int checkpoint = checkpoint(requestBlocks, start, main);
        if (!isCapped) {
            table.checkpoint = checkpoint;
            table.checkpointBlock = KvLayout.ceilDiv(main, size) - 2;
        }
        if (need > 0) {
            int cap = (table.hasStates ? 1 : 1 + drafts) + (isPart ? 1 : 0) + (checkpoint > 0 ? 1 : 0);
            need = rules.leavesTokenAfterState() ? Math.min(need, cap) : cap;
        }
        return need + idle(hits, 0);
    }

    /** Returns the position of the state that a step from {@code start} to {@code end} saves inside its chunk, or 0. */
    private int checkpoint(RequestBlocks requestBlocks, int start, int end) {
        boolean isLast = layout.retention() != 0 || end >= requestBlocks.prefillEnd();
        int position = layout.lastStatePosition(end, hitUnit);
        if (!isLast || !layout.savesInside(group, start, end, position)) {
            return 0;
        }
        BlockTable table = requestBlocks.table(id);
        int at = KvLayout.ceilDiv(end, size) - 2;
        int length = table.length();
        boolean isFree =
                at >= length || table.blocks.get(at) == BlockPool.NULL || (table.hasStates && at >= length - drafts);
        return at >= 0 && isFree ? position : 0;
    }

    private boolean isWrittenNow(int block) {
        return !writtenNow.isEmpty()
                && block != BlockPool.NULL
                && pool.keys().isKeyed(block)
                && writtenNow.contains(pool.keys().primary(block));
    }

    @Override
    void drop(RequestBlocks requestBlocks, int processed) {
        BlockTable table = requestBlocks.table(id);
        if (isAligned && rules.leavesTokenAfterState()) {
            retire(table, skipped(processed) / size);
        } else {
            super.drop(requestBlocks, processed);
        }
        if (isAligned && table.lastState >= 0 && table.lastState < KvLayout.ceilDiv(processed, size) - 1) {
            dropOne(table, table.lastState);
        }
    }

    /** Releases all states before a position; prefill leaves gaps between them. */
    private void retire(BlockTable table, int until) {
        released.clear();
        int end = Math.min(until, table.length());
        for (int i = end - 1; i >= table.retired; i--) {
            if (table.blocks.get(i) != BlockPool.NULL) {
                released.add(table.blocks.get(i));
                table.blocks.set(i, BlockPool.NULL);
            }
        }
        table.retired = Math.max(table.retired, end);
        pool.release(released);
    }

    @Override
    int nextDrop(RequestBlocks requestBlocks, int processed) {
        int next = (skipped(processed) / size + 1) * size + 1;
        int state = requestBlocks.table(id).lastState;
        return isAligned && state >= 0 && state * size + size >= processed
                ? Math.min(next, (state + 1) * size + 1)
                : next;
    }

    @Override
    void extend(RequestBlocks requestBlocks, Match match, int slots, int main) {
        if (!isAligned) {
            super.extend(requestBlocks, match, slots, main);
            return;
        }
        BlockTable table = requestBlocks.table(id);
        boolean isPart = endsInside(match);
        boolean isCopied = copyBoundary(table);
        int required = KvLayout.ceilDiv(main, size) + drafts;
        int inside = table.checkpoint > 0 ? 1 : 0;
        if (required <= table.length() && !isPart && !isCopied && inside == 0) {
            return;
        }
        if (isPart) {
            copyShared(table, match.tokens() / size);
        }
        int length = table.length();
        if (table.hasStates) {
            table.lastState = length - 1 - drafts;
        } else if (length > 0) {
            table.lastState = length - 1;
        }
        int skip = required - drafts - 1;
        table.blocks.fill(skip - inside - length, BlockPool.NULL);
        if (table.hasStates) {
            for (int i = length - drafts; i < length && i < skip - inside; i++) {
                table.blocks.add(table.blocks.get(i));
                table.blocks.set(i, BlockPool.NULL);
            }
        }
        takeUpTo(table, required);
        table.hasStates = true;
    }

    /**
     * Keeps the last unit of a prompt in the cache: its keys move to a copy, and the request continues to write to its own
     * block. Returns true if there was one.
     */
    private boolean copyBoundary(BlockTable table) {
        if (table.boundaryBlock < 0) {
            return false;
        }
        int boundary = table.boundaryBlock;
        table.boundaryBlock = BlockTable.NONE;
        int copy = pool.take();
        pool.keys().move(boundary, copy);
        pool.touch(boundary);
        noteCopy(boundary, copy);
        if (pool.keys().isKeyed(copy)) {
            writtenNow.add(pool.keys().primary(copy));
        }
        return true;
    }

    @Override
    void offer(RequestBlocks requestBlocks, int tokens) {
        int upTo = offeredTokens(tokens);
        offerBlocks(requestBlocks, upTo);
        if (isAligned && rules.leavesTokenAfterState()) {
            if (requestBlocks.table(id).checkpoint > 0) {
                offerCheckpoint(requestBlocks);
            } else if (upTo > 0 && upTo == layout.lastStatePosition(requestBlocks.promptTokens(), unit)) {
                offerState(requestBlocks, upTo);
            }
            return;
        }
        int end = requestBlocks.promptTokens() / unit * unit;
        if (layout.matchesParts() && upTo == end && end % size != 0) {
            offerState(requestBlocks, end);
        }
    }

    /** Offers the state after the first {@code end} tokens, which may be inside a block. */
    private void offerState(RequestBlocks requestBlocks, int end) {
        BlockTable table = requestBlocks.table(id);
        int at = KvLayout.ceilDiv(end, size) - 1;
        int block = at < table.length() ? table.blocks.get(at) : BlockPool.NULL;
        if (block == BlockPool.NULL
                || (rules.leavesTokenAfterState() && pool.keys().primaryTokens(block) == end)) {
            return;
        }
        addPart(block, keyAt(requestBlocks.keys(), end), end);
        if (end % size != 0) {
            table.boundaryBlock = block;
            table.offered = at;
        }
    }

    /** Offers the state that the step saves inside its chunk, instead of the one that its block contained. */
    private void offerCheckpoint(RequestBlocks requestBlocks) {
        BlockTable table = requestBlocks.table(id);
        int end = table.checkpoint;
        int block = table.blocks.get(table.checkpointBlock);
        boolean isPrompts = end == layout.lastStatePosition(requestBlocks.promptTokens(), hitUnit);
        boolean isKept = end % size == 0 && retention.keepsSegmentState(end / size - 1);
        if (!isPrompts && !isKept && end != requestBlocks.sharedBoundary) {
            pool.keys().drop(block);
        } else if (pool.keys().primaryTokens(block) != end) {
            pool.keys().drop(block);
            addKey(block, keyAt(requestBlocks.keys(), end), end);
        }
    }

    @Override
    void addKey(int block, long key, int end) {
        super.addKey(block, key, end);
        writtenNow.add(key);
    }

    @Override
    boolean keeps(RequestBlocks requestBlocks, int position) {
        return retention.keepsState(requestBlocks.promptTokens(), requestBlocks.sharedBoundary, position);
    }

    @Override
    void beginStep() {
        writtenNow.clear();
    }
}
