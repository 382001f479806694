package dev.stagesim.sim.serving.memory;

import dev.stagesim.sim.core.IntList;
import java.util.LinkedHashSet;
import java.util.Set;

/** Layers with a recurrent state: a block contains the state after its last token. */
final class MambaCache extends GroupCache {
    private final int drafts;
    private final boolean isAligned;
    private final Retention retention;
    private final Set<Long> writtenNow = new LinkedHashSet<>();

    MambaCache(KvLayout layout, int id, BlockPool pool) {
        super(layout, id, pool);
        drafts = group.speculativeBlocks();
        isAligned = group.isAligned();
        retention = new Retention(layout, id);
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
        if (need > 0) {
            need = (table.hasStates ? 1 : 1 + drafts) + (isPart ? 1 : 0);
        }
        return need + idle(hits, 0);
    }

    private boolean isWrittenNow(int block) {
        return !writtenNow.isEmpty()
                && block != BlockPool.NULL
                && pool.keys().isKeyed(block)
                && writtenNow.contains(pool.keys().primary(block));
    }

    @Override
    void drop(RequestBlocks requestBlocks, int processed) {
        super.drop(requestBlocks, processed);
        BlockTable table = requestBlocks.table(id);
        if (isAligned && table.lastState >= 0 && table.lastState < KvLayout.ceilDiv(processed, size) - 1) {
            dropOne(table, table.lastState);
        }
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
        copyBoundary(table);
        int required = KvLayout.ceilDiv(main, size) + drafts;
        if (required <= table.length() && !isPart) {
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
        table.blocks.fill(skip - length, BlockPool.NULL);
        if (table.hasStates) {
            for (int i = length - drafts; i < length && i < skip; i++) {
                table.blocks.add(table.blocks.get(i));
                table.blocks.set(i, BlockPool.NULL);
            }
        }
        takeUpTo(table, required);
        table.hasStates = true;
    }

    /**
     * Keeps the last unit of a prompt in the cache: its keys move to a copy, and the request continues to write to its own
     * block.
     */
    private void copyBoundary(BlockTable table) {
        if (table.boundaryBlock < 0) {
            return;
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
    }

    @Override
    void offer(RequestBlocks requestBlocks, int tokens) {
        int upTo = offeredTokens(tokens);
        offerBlocks(requestBlocks, upTo);
        int end = lastUnit(requestBlocks);
        if (layout.matchesParts() && upTo == end && end % size != 0) {
            BlockTable table = requestBlocks.table(id);
            int block = table.blocks.get(end / size);
            addPart(block, keyAt(requestBlocks.keys(), end), end);
            table.boundaryBlock = block;
            table.offered = end / size;
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
