package dev.stagesim.feature.cluster.cache;

import dev.stagesim.model.Key;
import dev.stagesim.model.OnlyIf;
import dev.stagesim.sim.core.RandomStream;
import dev.stagesim.sim.serving.memory.CacheEvents;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleSupplier;

/**
 * Delivers the KV events of a group's instances to its router: blocks that a cache has stored or removed.
 *
 * <p>Events are published in time order, so a queue suffices. {@link #applyEvents} applies the events that have arrived
 * since the last call.
 */
public final class KvEventBus {
    /** The section {@code cluster.kv_events}. */
    public record Settings(
            @Key("Delay from an event until routers receive it. | 0 | ms | 0..1000000000") double delayMs,
            @Key("Probability that a message is lost. One message contains all events of a cache"
                            + " at one time. | 0 | 0..1")
                    double lostShare,
            @Key("Random seed of lost messages. | 42 | 0..9223372036854775807")
                    @OnlyIf("lost_share > 0 | no message is lost | set lost_share")
                    long seed) {}

    /** Level of the engine's cache. The levels after it are the tiers of {@link Tiers#NAMES}. */
    public static final int DEVICE = 0;

    private static final int LEVELS = 1 + Tiers.NAMES.size();
    private static final int BITS_PER_WORD = 64;

    /**
     * Event of a block at one cache level. Events of an earlier {@code generation} are stale: the cache was cleared
     * after them.
     */
    private record Event(double at, int instance, int level, int generation, long key, boolean isStored) {}

    private final Prompts prompts;
    private final double delay;
    private final double lostShare;
    private final RandomStream random;
    private final DoubleSupplier clock;
    private final int words;
    private final ArrayDeque<Event> queue = new ArrayDeque<>();
    private final List<Map<Long, long[]>> holders = new ArrayList<>();
    private final int[] generations;

    /** Instance that publishes the events of the shared store, by instance. */
    private final int[] storeOwner;

    private boolean hasTiers;
    private final int[] predictedHits;
    private int block = 1;
    private int unit = 1;
    private int keyedRequest = -1;
    private long[] keys = {};
    private int tierKeyedRequest = -1;
    private long[] tierKeys = {};

    /** Messages sent, and the number of them that were lost. */
    public long sent;

    public long lost;

    /** Creates a bus for {@code size} instances with empty caches. */
    public KvEventBus(Settings settings, Prompts prompts, int size, RandomStream random, DoubleSupplier clock) {
        this.prompts = prompts;
        this.random = random;
        this.clock = clock;
        delay = settings.delayMs() / 1e3;
        lostShare = settings.lostShare();
        words = (size + BITS_PER_WORD - 1) / BITS_PER_WORD;
        generations = new int[size * LEVELS];
        predictedHits = new int[prompts.trace().size()];
        Arrays.fill(predictedHits, -1);
        storeOwner = new int[size];
        for (int i = 0; i < LEVELS; i++) {
            holders.add(new LinkedHashMap<>());
        }
    }

    /** Publishes the events of one cache. */
    final class Publisher implements CacheEvents {
        private final int instance;
        private final int level;
        private double last = Double.NaN;
        private boolean isDropped;

        private Publisher(int instance, int level) {
            this.instance = instance;
            this.level = level;
        }

        @Override
        public void begins(int ofBlock, int ofUnit) {
            if (level == DEVICE && block > 1 && ofBlock != block) {
                throw new IllegalStateException("blocks of " + block + " and of " + ofBlock + " tokens");
            }
            block = level == DEVICE ? ofBlock : block;
            unit = level == DEVICE ? ofUnit : unit;
            generations[instance * LEVELS + level]++;
            holders.get(level).values().removeIf(holdersOfKey -> clear(holdersOfKey, instance));
        }

        @Override
        public void stored(long key) {
            publish(key, true);
        }

        @Override
        public void removed(long key) {
            publish(key, false);
        }

        private void publish(long key, boolean isStored) {
            double now = clock.getAsDouble();
            if (now != last) {
                last = now;
                isDropped = lostShare > 0 && random.nextDouble() < lostShare;
                sent++;
                lost += isDropped ? 1 : 0;
            }
            if (!isDropped) {
                queue.add(new Event(now, instance, level, generations[instance * LEVELS + level], key, isStored));
            }
        }
    }

    /** Returns the publisher of a cache level of an instance. */
    public Publisher publisher(int instance, int level) {
        return new Publisher(instance, level);
    }

    /** Registers lower tiers of an instance. {@code owner} publishes the events of the shared store. */
    void hasTiers(int instance, int owner) {
        hasTiers = true;
        storeOwner[instance] = owner;
    }

    public boolean hasTiers() {
        return hasTiers;
    }

    /** Returns the tokens per block of the engines' caches. */
    public int block() {
        return block;
    }

    /** Applies the events that have arrived by now. */
    public void applyEvents() {
        double now = clock.getAsDouble();
        while (!queue.isEmpty() && queue.getFirst().at() + delay <= now) {
            Event event = queue.removeFirst();
            if (event.generation() != generations[event.instance() * LEVELS + event.level()]) {
                continue;
            }
            Map<Long, long[]> all = holders.get(event.level());
            if (event.isStored()) {
                all.computeIfAbsent(event.key(), key -> new long[words])[event.instance() / BITS_PER_WORD] |=
                        1L << event.instance();
            } else {
                all.computeIfPresent(
                        event.key(),
                        (key, holdersOfKey) -> clear(holdersOfKey, event.instance()) ? null : holdersOfKey);
            }
        }
    }

    /** Clears the bit of an instance. Returns true if no bit is left. */
    private static boolean clear(long[] holdersOfKey, int instance) {
        holdersOfKey[instance / BITS_PER_WORD] &= ~(1L << instance);
        for (long word : holdersOfKey) {
            if (word != 0) {
                return false;
            }
        }
        return true;
    }

    /** Returns the instances that have cached each block, as bit sets by block key. */
    public Map<Long, long[]> holders() {
        return holders.get(DEVICE);
    }

    /** Returns the cache keys of all full blocks of a prompt. */
    public long[] keys(int request) {
        if (keyedRequest != request) {
            keys = prompts.cacheKeys(request, block, unit);
            keyedRequest = request;
        }
        return keys;
    }

    /** Records the cache hits that are expected on the instance chosen for a request. */
    public void routed(int request, int instance) {
        applyEvents();
        int limit = (prompts.promptTokens(request) - 1) / block;
        predictedHits[request] = run(keys(request), 0, limit, instance, DEVICE) * block;
    }

    /** Returns the cache hits that the router expected, in tokens, or -1 if no prompt was routed. */
    public int predictedHits(int request) {
        return predictedHits[request];
    }

    /**
     * Finds the tokens after the first {@code local} ones in the lower tiers of an instance: host memory, then the disk
     * after the host memory, and the shared store.
     */
    public void lowerTierTokens(int request, int instance, int local, int[] tokens) {
        if (tierKeyedRequest != request) {
            tierKeys = prompts.blocks(request, prompts.promptTokens(request) - 1, KvTiers.BLOCK);
            tierKeyedRequest = request;
        }
        int at = local / KvTiers.BLOCK;
        int limit = local % KvTiers.BLOCK == 0 ? tierKeys.length : 0;
        int host = run(tierKeys, at, limit, instance, 1);
        tokens[0] = host * KvTiers.BLOCK;
        tokens[1] = run(tierKeys, at + host, limit, instance, 2) * KvTiers.BLOCK;
        tokens[2] = run(tierKeys, at, limit, storeOwner[instance], 3) * KvTiers.BLOCK;
    }

    /** Returns the number of consecutive blocks that an instance has cached, starting at {@code from}. */
    private int run(long[] of, int from, int to, int instance, int level) {
        int at = from;
        while (at < to) {
            long[] holdersOfKey = holders.get(level).get(of[at]);
            if (holdersOfKey == null || (holdersOfKey[instance / BITS_PER_WORD] & 1L << instance) == 0) {
                break;
            }
            at++;
        }
        return Math.max(0, at - from);
    }
}
