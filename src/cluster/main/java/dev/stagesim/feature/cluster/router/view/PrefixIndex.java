package dev.stagesim.feature.cluster.router.view;

import dev.stagesim.feature.cluster.cache.KvEventBus;
import dev.stagesim.feature.cluster.cache.Prompts;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The cached prefixes that a router assumes: from KV events, or from the prompts last sent to each instance, up to its
 * cache capacity.
 *
 * <p>A lookup takes O(blocks of the prompt x instances with its first block).
 */
public final class PrefixIndex {
    private static final int BITS_PER_WORD = 64;

    /** Maximum length that llm-d compares, in tokens. */
    private static final int MAX_TOKENS = 131_072;

    private final Prompts prompts;
    private final int block;
    private final @Nullable KvEventBus kvEvents;
    private final long[] room;
    private final List<LinkedHashMap<Long, Boolean>> blocksOf = new ArrayList<>();
    private final Map<Long, long[]> holders = new LinkedHashMap<>();
    private final int words;

    /** Matched blocks of the last lookup; valid for the instances in {@link #found}. */
    private final int[] depth;

    private final int[] found;
    private int count;
    private final boolean isOfPrompts;
    private int queriedBlocks;

    public PrefixIndex(RoutingGroup group, int block) {
        this(group, block, false);
    }

    /**
     * Creates an index of prompts only, as gateways keep it. It ignores outputs, and includes the last partial block.
     */
    static PrefixIndex ofPrompts(RoutingGroup group, int block) {
        return new PrefixIndex(group, block, true);
    }

    private PrefixIndex(RoutingGroup group, int block, boolean isOfPrompts) {
        this.isOfPrompts = isOfPrompts;
        prompts = group.prompts();
        kvEvents = group.kvEvents();
        this.block = block;
        room = new long[group.size()];
        for (int i = 0; i < room.length; i++) {
            room[i] = group.cacheTokens()[i] / block;
            blocksOf.add(new LinkedHashMap<>(16, 0.75f, true));
        }
        words = (group.size() + BITS_PER_WORD - 1) / BITS_PER_WORD;
        depth = new int[group.size()];
        found = new int[group.size()];
    }

    /** Looks up the prompt of a request. */
    public void lookUp(int request) {
        count = 0;
        long[] alive = null;
        int blocks = 0;
        long[] keys = keys(request);
        Map<Long, long[]> holdersByKey = kvEvents == null ? holders : kvEvents.holders();
        queriedBlocks = Math.max(1, keys.length);
        for (long key : keys) {
            long[] holdersOfKey = holdersByKey.get(key);
            if (holdersOfKey == null) {
                break;
            }
            if (alive == null) {
                alive = holdersOfKey.clone();
                list(alive);
            }
            blocks++;
            boolean isAny = false;
            for (int word = 0; word < words; word++) {
                long left = alive[word] & ~holdersOfKey[word];
                drop(word, left, blocks - 1);
                alive[word] &= holdersOfKey[word];
                isAny |= alive[word] != 0;
            }
            if (!isAny) {
                break;
            }
        }
        for (int word = 0; alive != null && word < words; word++) {
            drop(word, alive[word], blocks);
        }
    }

    private long[] keys(int request) {
        if (kvEvents == null) {
            return isOfPrompts
                    ? prompts.chunks(request, block, MAX_TOKENS)
                    : prompts.blocks(request, prompts.promptTokens(request) - 1, block);
        }
        kvEvents.applyEvents();
        long[] all = kvEvents.keys(request);
        // an engine computes at least one token
        int limit = isOfPrompts ? all.length : (prompts.promptTokens(request) - 1) / kvEvents.block();
        return limit == all.length ? all : Arrays.copyOf(all, limit);
    }

    private void list(long[] alive) {
        for (int word = 0; word < words; word++) {
            for (long bits = alive[word]; bits != 0; bits &= bits - 1) {
                found[count++] = word * BITS_PER_WORD + Long.numberOfTrailingZeros(bits);
            }
        }
    }

    private void drop(int word, long gone, int blocks) {
        for (long bits = gone; bits != 0; bits &= bits - 1) {
            depth[word * BITS_PER_WORD + Long.numberOfTrailingZeros(bits)] = blocks;
        }
    }

    /** Returns the number of instances with a match. */
    public int found() {
        return count;
    }

    /** Returns an instance with a match. */
    public int instance(int at) {
        return found[at];
    }

    /** Returns the matched blocks of an instance. */
    public int blocks(int at) {
        return depth[found[at]];
    }

    /** Returns the number of blocks of the last lookup. */
    int queriedBlocks() {
        return queriedBlocks;
    }

    int block() {
        return kvEvents == null ? block : kvEvents.block();
    }

    /** Returns the matched tokens of an instance. */
    public int tokens(int at) {
        return depth[found[at]] * block();
    }

    /** Adds the prompt of a request to an instance. */
    public void sent(int request, int instance) {
        int tokens = prompts.promptTokens(request);
        put(
                isOfPrompts ? prompts.chunks(request, block, MAX_TOKENS) : prompts.blocks(request, tokens, block),
                instance);
    }

    /** Adds a completed request to an instance, except its last token, which no step has processed. */
    public void served(int request, int instance) {
        int tokens = prompts.promptTokens(request) + prompts.trace().decodeTokens(request) - 1;
        put(prompts.blocks(request, tokens, block), instance);
    }

    private void put(long[] keys, int instance) {
        if (kvEvents != null) {
            return; // the bus reports the blocks
        }
        LinkedHashMap<Long, Boolean> instanceBlocks = blocksOf.get(instance);
        // insert from the end, so that the first blocks are evicted last
        for (int i = keys.length - 1; i >= 0; i--) {
            if (instanceBlocks.put(keys[i], true) == null) {
                holders.computeIfAbsent(keys[i], k -> new long[words])[instance / BITS_PER_WORD] |= 1L << instance;
            }
        }
        Iterator<Long> oldest = instanceBlocks.keySet().iterator();
        for (long over = instanceBlocks.size() - room[instance]; over > 0; over--) {
            long key = oldest.next();
            oldest.remove();
            forget(key, instance);
        }
    }

    /** Removes all blocks of an instance. */
    public void forget(int instance) {
        blocksOf.get(instance).keySet().forEach(key -> forget(key, instance));
        blocksOf.get(instance).clear();
    }

    private void forget(long key, int instance) {
        long[] holdersOfKey = holders.get(key);
        if (holdersOfKey == null) {
            throw new IllegalStateException("a block without a holder was indexed");
        }
        holdersOfKey[instance / BITS_PER_WORD] &= ~(1L << instance);
        for (long word : holdersOfKey) {
            if (word != 0) {
                return;
            }
        }
        holders.remove(key);
    }
}
