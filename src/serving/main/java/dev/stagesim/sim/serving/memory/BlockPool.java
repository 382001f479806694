package dev.stagesim.sim.serving.memory;

import dev.stagesim.sim.core.IntList;
import org.jspecify.annotations.Nullable;

/**
 * The blocks of one engine: how often each is referred to, and the queue of those that are free.
 *
 * <p>Block 0 is the null block, which stands in tables where no memory is needed. A free block can still carry keys; it is
 * then a cache entry until it is taken. Taking, returning and touching a block takes constant time.
 */
final class BlockPool {
    /** The block that stands for "none". */
    static final int NULL = 0;

    private final int blocks;
    private final boolean caches;
    private final BlockKeys keys;
    private final int[] references;
    private final FreeBlocks queue;
    private final IntList evicted = new IntList();
    private final IntList unkeyed = new IntList();
    private @Nullable RetainedBlocks retained;

    BlockPool(KvLayout layout) {
        blocks = layout.blocks();
        caches = layout.caches();
        keys = new BlockKeys(layout.groups().size(), blocks);
        references = new int[blocks];
        queue = new FreeBlocks(blocks);
        queue.remove(NULL);
    }

    /** Keeps what some requests leave from giving way from now on. */
    void retain(CacheRetention settings) {
        retained = new RetainedBlocks(settings, blocks);
    }

    /** What keeps blocks from giving way; null for nothing. */
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

    /** Whether a block would have to leave the queue to be used. */
    boolean isIdle(int block) {
        return block != NULL && references[block] == 0;
    }

    /** Blocks that lost their keys because they were taken, since this list was cleared last. */
    IntList evicted() {
        return evicted;
    }

    /** Takes the block that gives way first; there is one. */
    int take() {
        int block = retained == null ? queue.takeFirst() : retained.take(queue);
        if (caches && keys.isKeyed(block)) {
            keys.drop(block);
            evicted.add(block);
        }
        references[block] = 1;
        return block;
    }

    /** Refers to a block once more. */
    void touch(int block) {
        if (block != NULL && references[block]++ == 0 && (retained == null || !retained.leave(block))) {
            queue.remove(block);
        }
    }

    /**
     * Lets go of blocks, in this order: those that nobody refers to and that carry no key go to the head of the queue, those
     * with a key to its tail, both in the order given.
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

    /** Forgets all keys when every block is free; returns whether that was so. */
    boolean reset() {
        if (free() != blocks - 1) {
            return false;
        }
        keys.clear();
        return true;
    }

    /** The queue from head to tail, without what is kept from giving way. */
    IntList queue() {
        IntList order = new IntList();
        for (int block : queue.toArray()) {
            order.add(block);
        }
        return order;
    }
}
