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
 * What waiting requests will want of the lower tiers of an instance, on its way to the host's memory.
 *
 * <p>A tier reads for one request at a time, in the order in which they came, and only while no request waits for a read of its
 * own. Nothing of that is an event: what was read since is put in place whenever the tiers are looked at.
 */
public final class Prefetch {
    private static final int HOST = 0;

    /** Most of the host's memory that has what is waited for, as SGLang's hierarchical cache limits it. */
    private static final double MAX_HOST_SHARE = 0.8;

    /** Blocks of one tier for one request. */
    private static final class Job {
        final long[] keys;
        final double latency;
        final double blockSeconds;

        /** Seconds spent on it, and blocks that are there. */
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

        /** Seconds until so many more blocks are there, or all. */
        double secondsUntil(long more) {
            long blocks = landed + more;
            return blocks >= keys.length ? totalSeconds() : latency + (blocks + 1e-9) * blockSeconds;
        }

        /** Blocks that are read after what was spent. */
        int read() {
            boolean isComplete = spent >= totalSeconds() * (1 - 1e-12);
            return isComplete ? keys.length : (int) Math.max(0, (spent - latency) / blockSeconds);
        }
    }

    /** What a request found there that had come before its turn: blocks of each tier. */
    private final Map<Integer, List<Set<Long>>> prefetched = new LinkedHashMap<>();

    private final @Nullable TierStore[] stores;
    private final List<Deque<Job>> queues = new ArrayList<>();
    private final Map<Integer, List<Job>> jobs = new LinkedHashMap<>();
    private final Map<Job, Integer> owners = new LinkedHashMap<>();
    private final double[] latency;
    private final double[] blockSeconds;
    private final double hostSeconds;

    /** When the reads end that requests wait for. */
    private final double[] busyUntil;

    /** Blocks that were brought for requests that wait, and most of them. */
    private int pinnedBlocks;

    private final long maxPinnedBlocks;
    private double now;

    /** Tokens that were brought, that were found of them, and the seconds that they would have taken at their turn. */
    public long prefetchedTokens;

    public long usedTokens;
    public double hiddenSeconds;

    /** Of tiers that read so many bytes a block; {@code busyUntil} is theirs. */
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

    /** Asks for blocks of a tier for a request. */
    void enqueue(int request, int tier, long[] keys) {
        Job job = new Job(keys, latency[tier], blockSeconds[tier]);
        queues.get(tier).addLast(job);
        jobs.computeIfAbsent(request, none -> new ArrayList<>()).add(job);
        owners.put(job, request);
    }

    /** Puts in place what has been read up to a time. */
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
            throw new IllegalStateException("a tier is gone");
        }
        for (int read = job.read(); job.landed < read; job.landed++) {
            long key = job.keys[job.landed];
            if (!from.has(key)) {
                continue; // it gave way while it was waited for
            }
            if (tier < stores.length - 1) {
                from.remove(key); // the remote store keeps what others read too
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

    /** A request reads such blocks from the host's memory: those that were brought for it are accounted for. */
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

    /** A request waits no longer: what is still to come for it is not read. */
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

    /** All that was on its way is lost. */
    void clear() {
        queues.forEach(Deque::clear);
        jobs.clear();
        owners.clear();
        prefetched.clear();
        pinnedBlocks = 0;
    }
}
