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
 * The tiers behind the cache of one instance: keeps what its requests leave, and reads it back where that is faster than
 * computing it.
 *
 * <p>A tier reads for one request at a time; reads of several tiers for a request go side by side.
 */
public final class KvTiers {
    /** Tokens of a block. */
    static final int BLOCK = 16;

    /** What is to be read for a request: blocks of each tier, and when it would be there. */
    private record ReadPlan(int[] blocks, double end) {
        int sum() {
            return Arrays.stream(blocks).sum();
        }
    }

    private final Prompts prompts;
    private final boolean[] hasLaterTurn;
    private final double retainS;
    private final double blockBytes;
    private final List<Optional<Tier>> tiers;
    private final @Nullable TierStore[] stores;
    private final @Nullable TierStore shared;
    private final double[] freeAt;
    private final Map<Integer, long[]> keys = new LinkedHashMap<>();

    /** Tokens that the cache had when a request was looked at. */
    private final Map<Integer, Integer> localTokens = new LinkedHashMap<>();

    /** Blocks that were offered to a request last. */
    private final Map<Integer, Integer> offeredBlocks = new LinkedHashMap<>();

    private final int minPrefetchTokens;

    /** What comes to the host's memory while requests wait; null for nothing. */
    public final @Nullable Prefetch prefetch;

    /** Tokens that were read from each tier. */
    public final long[] read;

    /**
     * Empty tiers.
     *
     * @param hasLaterTurn whether the conversation of a request has a later turn
     * @param shared the remote store of the pool; null for none
     */
    public KvTiers(
            Tiers settings, Prompts prompts, boolean[] hasLaterTurn, double tokenBytes, @Nullable TierStore shared) {
        this.prompts = prompts;
        this.shared = shared;
        this.hasLaterTurn = hasLaterTurn;
        retainS = settings.retainS();
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

    /** Blocks that a tier holds. */
    public static long capacityBlocks(Tier tier, double tokenBytes) {
        return (long) (tier.capacityGb() * 1e9 / (tokenBytes * BLOCK));
    }

    /** Whether there is a tier in such a place. */
    public boolean has(int place) {
        return stores[place] != null;
    }

    /** Has routers hear what the tiers of an instance hold; {@code owner} tells for the store that it shares. */
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

    /** Forgets what was the instance's own. */
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

    /** The place of the tier that has a block, the fastest of them; -1 when none has. */
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

    /** A request waits here, of which the cache has the first tokens: what lower tiers have of the others is asked for. */
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

    /** A request is in a batch, or has left the queue otherwise. */
    public void leftQueue(int request, double now) {
        if (prefetch != null) {
            prefetch.advance(now);
            prefetch.cancel(request);
        }
    }

    /** Tokens behind the first local ones that are worth reading; {@code paceS} is the time to compute one. */
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
            // what has come already may be worth more than waiting for the rest
            int hostBlocks = hostBlocks(request, local);
            // little of it is not worth the step that a read waits for
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

    /** Blocks behind the local ones that are in the host's memory, up to the first that is not. */
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

    /** Reads what was offered last; returns when it is there. */
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

    /** A request is done here: what is computed of it is kept, its end to be forgotten before its beginning. */
    public void store(int request, int tokens, double now) {
        double until = hasLaterTurn[request] ? now + retainS : now;
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
                shared.put(all.get(i), now, until); // others read it there
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
