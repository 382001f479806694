package dev.stagesim.feature.cluster.cache;

import dev.stagesim.feature.cluster.cache.Tiers.Tier;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Copies blocks from the lower tiers to host memory for requests that wait in the queue.
 *
 * <p>A tier serves one prefetch at a time in request order, and only while it has no regular read. Prefetches are no
 * events: {@link #advance} applies them before each use of the tiers.
 */
public final class Prefetch {
    private static final int HOST = 0;

    /** Maximum share of host memory for prefetched blocks, as in SGLang's hierarchical cache. */
    private static final double MAX_HOST_SHARE = 0.8;

    /** Blocks to copy from one tier for one request. */
    private static final class Job {
        final long[] keys;
        final double latency;
        final double blockSeconds;

        /** Seconds of transfer so far, and blocks copied. */
        double spent;

        int landed;

        Job(long[] keys, double latency, double blockSeconds) {
            this.keys = keys;
            this.latency = latency;
            this.blockSeconds = blockSeconds;
        }

        double totalSeconds() {
            return latency + keys.length * blockSeconds;
        }

        /** Returns the time in seconds until {@code more} further blocks, or all, are copied. */
        double secondsUntil(long more) {
            long blocks = landed + more;
            return blocks >= keys.length ? totalSeconds() : latency + (blocks + 1e-9) * blockSeconds;
        }

        /** Returns the number of blocks that fit in the time spent. */
        int read() {
            boolean isComplete = spent >= totalSeconds() * (1 - 1e-12);
            return isComplete ? keys.length : (int) Math.max(0, (spent - latency) / blockSeconds);
        }
    }

    /** Prefetched blocks by request and source tier. */
    private final Map<Integer, List<Set<Long>>> prefetched = new LinkedHashMap<>();

    private final @Nullable TierStore[] stores;
    private final List<Deque<Job>> queues = new ArrayList<>();
    private final Map<Integer, List<Job>> jobs = new LinkedHashMap<>();
    private final Map<Job, Integer> owners = new LinkedHashMap<>();
    private final double[] latency;
    private final double[] blockSeconds;
    private final double hostSeconds;

    /** End time of the regular reads, by tier. */
    private final double[] busyUntil;

    /** Prefetched blocks in host memory, and their maximum. */
    private int pinnedBlocks;

    private final long maxPinnedBlocks;
    private double now;

    /** Tokens prefetched, prefetched tokens used, and the read time that prefetching saved. */
    public long prefetchedTokens;

    public long usedTokens;
    public double hiddenSeconds;

    /** Creates a prefetcher. {@code busyUntil} is shared with the tiers. */
    Prefetch(Tiers settings, @Nullable TierStore[] stores, double blockBytes, double[] busyUntil) {
        this.stores = stores;
        this.busyUntil = busyUntil;
        latency = new double[stores.length];
        blockSeconds = new double[stores.length];
        for (int i = 0; i < stores.length; i++) {
            Tier tier = settings.all().get(i).orElse(new Tier(1, 1, 0));
            latency[i] = tier.latencyUs() / 1e6;
            blockSeconds[i] = blockBytes / (tier.readGbs() * 1e9);
            queues.add(new ArrayDeque<>());
        }
        hostSeconds = blockSeconds[HOST];
        TierStore host = stores[HOST];
        maxPinnedBlocks = host == null ? 0 : (long) (MAX_HOST_SHARE * host.capacity());
    }

    /** Queues the prefetch of blocks of a tier. */
    void enqueue(int request, int tier, long[] keys) {
        Job job = new Job(keys, latency[tier], blockSeconds[tier]);
        queues.get(tier).addLast(job);
        jobs.computeIfAbsent(request, none -> new ArrayList<>()).add(job);
        owners.put(job, request);
    }

    /** Applies the copies that have finished by a time. */
    void advance(double to) {
        for (int tier = HOST + 1; tier < stores.length; tier++) {
            Deque<Job> queue = queues.get(tier);
            double at = Math.max(now, busyUntil[tier]);
            while (at < to && !queue.isEmpty() && pinnedBlocks < maxPinnedBlocks) {
                Job job = queue.getFirst();
                double more = Math.min(to - at, job.secondsUntil(maxPinnedBlocks - pinnedBlocks) - job.spent);
                job.spent += more;
                at += more;
                land(job, tier, to);
                if (job.landed == job.keys.length) {
                    queue.removeFirst();
                }
            }
        }
        now = Math.max(now, to);
    }

    private void land(Job job, int tier, double at) {
        TierStore from = stores[tier];
        TierStore host = stores[HOST];
        Integer owner = owners.get(job);
        if (from == null || host == null || owner == null) {
            throw new IllegalStateException("a tier is missing");
        }
        for (int read = job.read(); job.landed < read; job.landed++) {
            long key = job.keys[job.landed];
            if (!from.has(key)) {
                continue; // evicted from the source tier before the copy
            }
            if (tier < stores.length - 1) {
                from.remove(key); // other instances read the remote copy
            }
            pinnedBlocks++;
            host.pin(key, at);
            prefetchedTokens += KvTiers.BLOCK;
            prefetched.computeIfAbsent(owner, none -> sets()).get(tier).add(key);
        }
    }

    private List<Set<Long>> sets() {
        List<Set<Long>> sets = new ArrayList<>();
        Arrays.stream(stores).forEach(store -> sets.add(new LinkedHashSet<>()));
        return sets;
    }

    /** Counts the prefetched blocks that a request reads from host memory. */
    void use(int request, long[] keys, int from, int to) {
        List<Set<Long>> blocksByTier = prefetched.getOrDefault(request, List.of());
        for (int tier = 0; tier < blocksByTier.size(); tier++) {
            int count = 0;
            for (int i = from; i < to; i++) {
                count += blocksByTier.get(tier).contains(keys[i]) ? 1 : 0;
            }
            usedTokens += (long) count * KvTiers.BLOCK;
            hiddenSeconds += count == 0 ? 0 : latency[tier] + count * (blockSeconds[tier] - hostSeconds);
        }
    }

    /** Cancels the prefetches of a request and releases its blocks. */
    void cancel(int request) {
        TierStore host = stores[HOST];
        for (Set<Long> keys : prefetched.getOrDefault(request, List.of())) {
            pinnedBlocks -= keys.size();
            for (long key : keys) {
                if (host != null) {
                    host.unpin(key, now);
                }
            }
        }
        for (Job job : jobs.getOrDefault(request, List.of())) {
            queues.forEach(queue -> queue.remove(job));
            owners.remove(job);
        }
        jobs.remove(request);
        prefetched.remove(request);
    }

    /** Drops all prefetches. */
    void clear() {
        queues.forEach(Deque::clear);
        jobs.clear();
        owners.clear();
        prefetched.clear();
        pinnedBlocks = 0;
    }
}
