package dev.stagesim.sim.serving.memory;

import dev.stagesim.sim.core.LongIndex;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The keys by which cached blocks can be looked up.
 *
 * <p>A block can have several keys; the first is its primary key. Several blocks can have the same key; lookups return the
 * block that received it first. All operations take constant time, except for blocks with several keys.
 */
final class BlockKeys {
    /** No block or entry. */
    static final int NONE = -1;

    /** Sum of a block's value and its owner, if the block has one key that only its owner can look up. */
    private static final int UNSEEN = -2;

    private static final int FIELDS = 8;
    private static final int NEXT_OF_BLOCK = 0;
    private static final int NEXT_OF_KEY = 1;
    private static final int PREVIOUS_OF_KEY = 2;
    private static final int LAST_OF_KEY = 3;
    private static final int BLOCK = 4;
    private static final int TOKENS = 5;
    private static final int GROUP = 6;

    private final LongIndex[] heads;
    /** For each block, its first entry, {@link #NONE}, or {@link #UNSEEN} minus the owner of a hidden key. */
    private long[] firstOfBlock = {};
    /** The fields of all entries. The fields of one entry are adjacent and share a cache line. */
    private int[] fields = new int[64 * FIELDS];

    private long[] key = new long[64];
    private int used;
    private int spare = NONE;
    private int keyedBlocks;

    /** Receives changes of the keys of one group; null if there is no listener. */
    private @Nullable CacheEvents events;

    private int watched;

    /** Creates keys for blocks 0 to {@code blocks} - 1. */
    BlockKeys(int groups, int blocks) {
        heads = new LongIndex[groups];
        for (int i = 0; i < groups; i++) {
            heads[i] = new LongIndex(64);
        }
        reserve(blocks);
    }

    /** Increases the number of blocks to {@code blocks}. */
    void reserve(int blocks) {
        int before = firstOfBlock.length;
        firstOfBlock = Arrays.copyOf(firstOfBlock, blocks);
        Arrays.fill(firstOfBlock, before, blocks, NONE);
    }

    /** Reports changes of the keys of a group from now on. */
    void watch(int ofGroup, CacheEvents listener) {
        watched = ofGroup;
        events = listener;
    }

    /** Returns the block with a key, or {@link #NONE}. */
    int find(int ofGroup, long wanted) {
        int entry = heads[ofGroup].get(wanted);
        return entry == LongIndex.ABSENT ? NONE : get(entry, BLOCK);
    }

    boolean isKeyed(int ofBlock) {
        return firstOfBlock[ofBlock] != NONE;
    }

    /** Returns the number of blocks with a key. */
    int keyedBlocks() {
        return keyedBlocks;
    }

    /** Returns the primary key of a block with a key. */
    long primary(int ofBlock) {
        return key[(int) firstOfBlock[ofBlock]];
    }

    /** Returns the tokens that the primary key of a block represents, or 0 for a block without keys. */
    int primaryTokens(int ofBlock) {
        int entry = first(ofBlock);
        return entry == NONE ? 0 : get(entry, TOKENS);
    }

    boolean carries(int ofBlock, long wanted) {
        for (int entry = first(ofBlock); entry != NONE; entry = get(entry, NEXT_OF_BLOCK)) {
            if (key[entry] == wanted) {
                return true;
            }
        }
        return false;
    }

    /**
     * Adds a key that cannot be looked up before {@link #show} to a block without keys.
     *
     * @param byOwner number of the request and position of the block
     */
    void addUnseen(int toBlock, long byOwner) {
        firstOfBlock[toBlock] = UNSEEN - byOwner;
        keyedBlocks++;
    }

    boolean isUnseen(int ofBlock) {
        return firstOfBlock[ofBlock] <= UNSEEN;
    }

    /** Makes a hidden key available for lookups, if the block still has that of this owner. */
    void show(int ofGroup, int ofBlock, long byOwner, long key, int upTo) {
        if (firstOfBlock[ofBlock] == UNSEEN - byOwner) {
            drop(ofBlock);
            add(ofGroup, ofBlock, key, upTo);
        }
    }

    /** Adds a key to a block. It represents {@code upTo} tokens from the start of the sequence. */
    void add(int ofGroup, int toBlock, long added, int upTo) {
        int entry = take();
        set(entry, BLOCK, toBlock);
        key[entry] = added;
        set(entry, TOKENS, upTo);
        set(entry, GROUP, ofGroup);
        set(entry, NEXT_OF_BLOCK, NONE);
        appendToBlock(entry, toBlock);
        set(entry, NEXT_OF_KEY, NONE);
        int head = heads[ofGroup].get(added);
        if (head == LongIndex.ABSENT) {
            heads[ofGroup].put(added, entry);
            set(entry, PREVIOUS_OF_KEY, NONE);
            set(entry, LAST_OF_KEY, entry);
            if (events != null && ofGroup == watched) {
                events.stored(added);
            }
        } else {
            int last = get(head, LAST_OF_KEY);
            set(last, NEXT_OF_KEY, entry);
            set(entry, PREVIOUS_OF_KEY, last);
            set(head, LAST_OF_KEY, entry);
        }
    }

    private void appendToBlock(int entry, int toBlock) {
        int last = first(toBlock);
        if (last == NONE) {
            firstOfBlock[toBlock] = entry;
            keyedBlocks++;
            return;
        }
        while (get(last, NEXT_OF_BLOCK) != NONE) {
            last = get(last, NEXT_OF_BLOCK);
        }
        set(last, NEXT_OF_BLOCK, entry);
    }

    /** Removes all keys of a block. */
    void drop(int ofBlock) {
        dropBelow(ofBlock, Integer.MAX_VALUE);
    }

    /** Removes the keys of a block that represent fewer than {@code limit} tokens. */
    void dropBelow(int ofBlock, int limit) {
        int kept = NONE;
        int entry = first(ofBlock);
        boolean wasKeyed = isKeyed(ofBlock);
        firstOfBlock[ofBlock] = NONE;
        while (entry >= 0) {
            int next = get(entry, NEXT_OF_BLOCK);
            if (get(entry, TOKENS) < limit) {
                unlink(entry);
                set(entry, NEXT_OF_BLOCK, spare);
                spare = entry;
            } else {
                set(entry, NEXT_OF_BLOCK, NONE);
                if (kept == NONE) {
                    firstOfBlock[ofBlock] = entry;
                } else {
                    set(kept, NEXT_OF_BLOCK, entry);
                }
                kept = entry;
            }
            entry = next;
        }
        if (wasKeyed && kept == NONE) {
            keyedBlocks--;
        }
    }

    /** Moves all keys of one block to a block without keys, the primary key first. */
    void move(int from, int to) {
        int count = 0;
        for (int entry = first(from); entry != NONE; entry = get(entry, NEXT_OF_BLOCK)) {
            count++;
        }
        int[] groups = new int[count];
        int[] upTo = new int[count];
        long[] moved = new long[count];
        int at = 0;
        for (int entry = first(from); entry != NONE; entry = get(entry, NEXT_OF_BLOCK)) {
            groups[at] = get(entry, GROUP);
            upTo[at] = get(entry, TOKENS);
            moved[at++] = key[entry];
        }
        drop(from);
        for (int i = 0; i < count; i++) {
            add(groups[i], to, moved[i], upTo[i]);
        }
    }

    /** Removes all keys. */
    void clear() {
        for (LongIndex index : heads) {
            index.clear();
        }
        Arrays.fill(firstOfBlock, NONE);
        used = 0;
        spare = NONE;
        keyedBlocks = 0;
    }

    /** Returns the first entry of a block, or {@link #NONE} if it has no key or a hidden one. */
    private int first(int ofBlock) {
        return (int) Math.max(firstOfBlock[ofBlock], NONE);
    }

    private int get(int entry, int field) {
        return fields[entry * FIELDS + field];
    }

    private void set(int entry, int field, int value) {
        fields[entry * FIELDS + field] = value;
    }

    private void unlink(int entry) {
        int before = get(entry, PREVIOUS_OF_KEY);
        int after = get(entry, NEXT_OF_KEY);
        LongIndex index = heads[get(entry, GROUP)];
        if (before != NONE) {
            set(before, NEXT_OF_KEY, after);
            if (after == NONE) {
                set(index.get(key[entry]), LAST_OF_KEY, before);
            } else {
                set(after, PREVIOUS_OF_KEY, before);
            }
        } else if (after == NONE) {
            index.remove(key[entry]);
            if (events != null && get(entry, GROUP) == watched) {
                events.removed(key[entry]);
            }
        } else {
            index.put(key[entry], after);
            set(after, PREVIOUS_OF_KEY, NONE);
            set(after, LAST_OF_KEY, get(entry, LAST_OF_KEY));
        }
    }

    private int take() {
        if (spare != NONE) {
            int entry = spare;
            spare = get(entry, NEXT_OF_BLOCK);
            return entry;
        }
        if (used == key.length) {
            fields = Arrays.copyOf(fields, used * 2 * FIELDS);
            key = Arrays.copyOf(key, used * 2);
        }
        return used++;
    }
}
