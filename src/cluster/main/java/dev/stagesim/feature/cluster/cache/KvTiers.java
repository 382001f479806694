package dev.stagesim.feature.cluster.cache;

import dev.stagesim.feature.cluster.cache.Tiers.Tier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The KV cache tiers below the cache of one instance. Stores the KV blocks of finished requests, and reads them back if
 * that is faster than recomputation.
 *
 * <p>A tier serves one request at a time. Reads of one request from several tiers run in parallel.
 */
public final class KvTiers {
    /** Tokens per block. */
    static final int BLOCK = 16;

    /** Planned read of a request: blocks per tier, and the end time in seconds. */
    private record ReadPlan(int[] blocks, double end) {
        int sum() {
            return Arrays.stream(blocks).sum();
        }
    }

    private final Prompts prompts;
    private final boolean[] hasLaterTurn;
    private final double retentionSeconds;
    private final double blockBytes;
    private final List<Optional<Tier>> tiers;
    private final @Nullable TierStore[] stores;
    private final @Nullable TierStore shared;
    private final double[] freeAt;
    private final Map<Integer, long[]> keys = new LinkedHashMap<>();

    /** Tokens in the engine's cache when a request was last planned. */
    private final Map<Integer, Integer> localTokens = new LinkedHashMap<>();

    /** Blocks in the last offer to a request. */
    private final Map<Integer, Integer> offeredBlocks = new LinkedHashMap<>();

    private final int minPrefetchTokens;

    /** Prefetcher of waiting requests, or null if prefetching is off. */
    public final @Nullable Prefetch prefetch;

    /** Tokens read, by tier. */
    public final long[] read;

    /**
     * Creates empty tiers.
     *
     * @param hasLaterTurn whether a request has a later turn in its session
     * @param shared the remote store of the pool, or null if absent
     */
    public KvTiers(
            Tiers settings, Prompts prompts, boolean[] hasLaterTurn, double tokenBytes, @Nullable TierStore shared) {
        this.prompts = prompts;
        this.shared = shared;
        this.hasLaterTurn = hasLaterTurn;
        retentionSeconds = settings.sessionRetentionS();
        blockBytes = tokenBytes * BLOCK;
        tiers = settings.all();
        stores = new TierStore[tiers.size()];
        freeAt = new double[tiers.size()];
        read = new long[tiers.size()];
        TierStore below = shared;
        for (int i = tiers.size() - 1; i >= 0; i--) {
            if (i == tiers.size() - 1) {
                stores[i] = shared;
            } else if (tiers.get(i).isPresent()) {
                below = new TierStore(capacityBlocks(tiers.get(i).get(), tokenBytes), below);
                stores[i] = below;
            }
        }
        minPrefetchTokens = settings.prefetchTokens().orElse(0);
        prefetch = settings.prefetchTokens().isEmpty() ? null : new Prefetch(settings, stores, blockBytes, freeAt);
    }

    /** Returns the capacity of a tier in blocks. */
    public static long capacityBlocks(Tier tier, double tokenBytes) {
        return (long) (tier.capacityGb() * 1e9 / (tokenBytes * BLOCK));
    }

    /** Returns true if the tier at an index exists. */
    public boolean has(int place) {
        return stores[place] != null;
    }

    /** Publishes the KV events of the tiers. {@code owner} publishes the events of the shared store. */
    public void publishTo(KvEventBus kvEvents, int instance, int owner) {
        kvEvents.hasTiers(instance, owner);
        for (int i = 0; i < stores.length; i++) {
            TierStore store = stores[i];
            boolean isPublished = store != null && (store != shared || instance == owner);
            if (isPublished) {
                store.events = kvEvents.publisher(instance, i + 1);
            }
        }
    }

    /** Clears all stores of the instance. The shared store keeps its blocks. */
    public void clear() {
        for (TierStore store : stores) {
            if (store != null && store != shared) {
                store.clear();
            }
        }
        keys.clear();
        localTokens.clear();
        offeredBlocks.clear();
        Arrays.fill(freeAt, 0);
        if (prefetch != null) {
            prefetch.clear();
        }
    }

    /** Returns the index of the fastest tier that has a block, or -1 if none has it. */
    private int find(long key) {
        for (int i = 0; i < stores.length; i++) {
            TierStore store = stores[i];
            if (store != null && store.has(key)) {
                return i;
            }
        }
        return -1;
    }

    private long[] keys(int request) {
        return keys.computeIfAbsent(request, r -> prompts.blocks(r, prompts.promptTokens(r) - 1, BLOCK));
    }

    /**
     * Starts the prefetch of a request that enters the engine's queue. {@code local} tokens are in the engine's cache.
     */
    public void queued(int request, int local, double now) {
        if (prefetch == null) {
            return;
        }
        prefetch.advance(now);
        long[] blockKeys = keys(request);
        int[] count = new int[stores.length];
        int end = local / BLOCK;
        for (int tier = end < blockKeys.length ? find(blockKeys[end]) : -1; tier >= 0; ) {
            count[tier]++;
            end++;
            tier = end < blockKeys.length ? find(blockKeys[end]) : -1;
        }
        if ((Arrays.stream(count).sum() - count[0]) * BLOCK < minPrefetchTokens) {
            return;
        }
        for (int tier = 1; tier < stores.length; tier++) {
            int place = tier;
            long[] wanted = Arrays.stream(blockKeys, local / BLOCK, end)
                    .filter(key -> find(key) == place)
                    .toArray();
            if (wanted.length > 0) {
                prefetch.enqueue(request, tier, wanted);
            }
        }
    }

    /** Cancels the prefetch of a request that leaves the queue. */
    public void leftQueue(int request, double now) {
        if (prefetch != null) {
            prefetch.advance(now);
            prefetch.cancel(request);
        }
    }

    /**
     * Returns the number of tokens after the first {@code local} ones that are faster to read than to compute. {@code
     * paceS} is the compute time per token.
     */
    public int offer(int request, int local, double now, double paceS) {
        if (local % BLOCK != 0) {
            return 0;
        }
        if (prefetch != null) {
            prefetch.advance(now);
        }
        localTokens.put(request, local);
        ReadPlan all = plan(request, local, now, Integer.MAX_VALUE);
        int best = all.sum();
        double gain = gain(all, now, paceS);
        if (prefetch != null && gain < Double.POSITIVE_INFINITY) {
            // reading only the prefetched blocks can be faster than waiting for the slower tiers
            int hostBlocks = hostBlocks(request, local);
            // a short read does not repay the step that it delays
            double less = hostBlocks * BLOCK < minPrefetchTokens
                    ? 0
                    : gain(plan(request, local, now, hostBlocks), now, paceS);
            best = less > gain ? hostBlocks : best;
            gain = Math.max(less, gain);
        }
        offeredBlocks.put(request, best);
        return gain > 0 ? best * BLOCK : 0;
    }

    private static double gain(ReadPlan offer, double now, double paceS) {
        int blocks = offer.sum();
        return blocks == 0 ? 0 : blocks * BLOCK * paceS - (offer.end() - now);
    }

    /** Returns the number of consecutive blocks in host memory after the local ones. */
    private int hostBlocks(int request, int local) {
        long[] blockKeys = keys(request);
        int end = local / BLOCK;
        while (end < blockKeys.length && find(blockKeys[end]) == 0) {
            end++;
        }
        return end - local / BLOCK;
    }

    private ReadPlan plan(int request, int local, double now, int maxBlocks) {
        long[] blockKeys = keys(request);
        int[] blocks = new int[stores.length];
        for (int i = local / BLOCK; i < blockKeys.length && i - local / BLOCK < maxBlocks; i++) {
            int tier = find(blockKeys[i]);
            if (tier < 0) {
                break;
            }
            blocks[tier]++;
        }
        double end = now;
        for (int i = 0; i < blocks.length; i++) {
            end = blocks[i] == 0 ? end : Math.max(end, end(i, blocks[i], now));
        }
        return new ReadPlan(blocks, end);
    }

    private double end(int place, int blocks, double now) {
        Tier tier = tiers.get(place).orElseThrow();
        return Math.max(now, freeAt[place]) + tier.latencyUs() / 1e6 + blocks * blockBytes / (tier.readGbs() * 1e9);
    }

    /** Reads the last offer of a request. Returns the end time. */
    public double begin(int request, double now) {
        int local = localTokens.getOrDefault(request, 0);
        ReadPlan offer = plan(request, local, now, offeredBlocks.getOrDefault(request, Integer.MAX_VALUE));
        for (int i = 0; i < offer.blocks().length; i++) {
            if (offer.blocks()[i] > 0) {
                freeAt[i] = end(i, offer.blocks()[i], now);
                read[i] += (long) offer.blocks()[i] * BLOCK;
            }
        }
        if (prefetch != null) {
            prefetch.use(request, keys(request), local / BLOCK, local / BLOCK + offer.sum());
            prefetch.cancel(request);
        }
        return offer.end();
    }

    /**
     * Stores the computed blocks of a finished request. Stores from the end, so that the first blocks are evicted last.
     */
    public void store(int request, int tokens, double now) {
        double until = hasLaterTurn[request] ? now + retentionSeconds : now;
        leftQueue(request, now);
        keys.remove(request);
        localTokens.remove(request);
        offeredBlocks.remove(request);
        List<Long> all = new ArrayList<>();
        for (long key : prompts.blocks(request, tokens, BLOCK)) {
            all.add(key);
        }
        TierStore first = first();
        for (int i = all.size() - 1; i >= 0; i--) {
            for (TierStore store : stores) {
                if (store != null && store != first && store != shared) {
                    store.remove(all.get(i));
                }
            }
            first.put(all.get(i), now, until);
            if (shared != null && shared != first) {
                shared.put(all.get(i), now, until); // the other instances read it there
            }
        }
    }

    private TierStore first() {
        for (TierStore store : stores) {
            if (store != null) {
                return store;
            }
        }
        throw new IllegalStateException("no tier");
    }
}
