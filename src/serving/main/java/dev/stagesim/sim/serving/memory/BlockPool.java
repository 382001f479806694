package dev.stagesim.sim.serving.memory;

import dev.stagesim.sim.core.IntList;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The blocks of one engine with their reference counts, and the queue of free blocks.
 *
 * <p>Block 0 is the null block, a placeholder in block tables for positions without memory. A free block can still have
 * keys; it is then a cache entry until it is allocated again. Each operation on a block takes constant time. Memory is
 * proportional to the number of blocks that were ever allocated.
 */
final class BlockPool {
    /** The null block. */
    static final int NULL = 0;

    private final int blocks;
    private final boolean caches;
    private final BlockKeys keys;
    private int[] references = new int[64];
    private final FreeBlocks queue;
    private final IntList evicted = new IntList();
    private final IntList unkeyed = new IntList();
    private @Nullable RetainedBlocks retained;

    BlockPool(KvLayout layout) {
        blocks = layout.blocks();
        caches = layout.caches();
        keys = new BlockKeys(layout.groups().size(), references.length);
        queue = new FreeBlocks(NULL + 1, blocks);
    }

    /** Protects blocks of some requests from eviction from now on. */
    void retain(CacheRetention settings) {
        retained = new RetainedBlocks(settings, blocks);
    }

    /** Returns the blocks that are protected from eviction, or null if retention is off. */
    @Nullable
    RetainedBlocks retained() {
        return retained;
    }

    BlockKeys keys() {
        return keys;
    }

    int free() {
        return queue.size() + (retained == null ? 0 : retained.size());
    }

    int references(int block) {
        return references[block];
    }

    /** Returns true if a block is in the queue of free blocks. */
    boolean isIdle(int block) {
        return block != NULL && references[block] == 0;
    }

    /** Returns the blocks that lost their keys when they were allocated, since this list was last cleared. */
    IntList evicted() {
        return evicted;
    }

    /** Allocates the first block in eviction order; a free block must exist. */
    int take() {
        int block = retained == null ? queue.takeFirst() : retained.take(queue);
        if (block >= references.length) {
            references = Arrays.copyOf(references, Math.max(2 * references.length, block + 1));
            keys.reserve(references.length);
        }
        if (caches && keys.isKeyed(block)) {
            keys.drop(block);
            evicted.add(block);
        }
        references[block] = 1;
        return block;
    }

    /** Increments the reference count of a block. */
    void touch(int block) {
        if (block != NULL && references[block]++ == 0 && (retained == null || !retained.leave(block))) {
            queue.remove(block);
        }
    }

    /**
     * Releases blocks in order. Blocks without references and keys go to the head of the queue, blocks with keys to its
     * tail, both in the given order.
     */
    void release(IntList list) {
        unkeyed.clear();
        for (int i = 0; i < list.size(); i++) {
            int block = list.get(i);
            if (block == NULL || --references[block] > 0) {
                continue;
            }
            if (!caches || !keys.isKeyed(block)) {
                unkeyed.add(block);
            } else if (retained == null || !retained.keep(block)) {
                queue.append(block);
            }
        }
        for (int i = unkeyed.size() - 1; i >= 0; i--) {
            queue.prepend(unkeyed.get(i));
            if (retained != null) {
                retained.forget(unkeyed.get(i));
            }
        }
    }

    /** Removes all keys if every block is free. Returns true if it did. */
    boolean reset() {
        if (free() != blocks - 1) {
            return false;
        }
        keys.clear();
        return true;
    }

    /** Returns the queue from head to tail, without the retained blocks. */
    IntList queue() {
        IntList order = new IntList();
        for (int block : queue.toArray()) {
            order.add(block);
        }
        return order;
    }
}
