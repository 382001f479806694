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
 * What the caches of a group hold, as routers know it by the events that its instances send: blocks that can be found, and
 * blocks that are gone.
 *
 * <p>Events are told in the order of time, so that a queue is enough; a look hears what has come since the last one.
 */
public final class KvEventBus {
    /** The section {@code cluster.kv_events}. */
    public record Settings(
            @Key("Time from an event until routers know it. | 0 | ms | 0..1000000000") double delayMs,
            @Key(
                            "Share of the messages that are lost, drawn one by one; what a cache tells at one time is a message. | 0 | 0..1")
                    double lostShare,
            @Key("Seed of the draws. | 42 | 0..9223372036854775807")
                    @OnlyIf("lost_share > 0 | nothing is lost | set lost_share")
                    long seed) {}

    /** The cache of the engine; tiers behind it are those of {@link Tiers#NAMES}, in their order. */
    public static final int DEVICE = 0;

    private static final int LEVELS = 1 + Tiers.NAMES.size();
    private static final int BITS_PER_WORD = 64;

    /** A block of a level of an instance; {@code generation} tells apart what it had before it lost all. */
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

    /** The seat that tells for the store that an instance shares. */
    private final int[] storeOwner;

    private boolean hasTiers;
    private final int[] predictedHits;
    private int block = 1;
    private int unit = 1;
    private int keyedRequest = -1;
    private long[] keys = {};
    private int tierKeyedRequest = -1;
    private long[] tierKeys = {};

    /** Messages that were sent, and those of them that were lost. */
    public long sent;

    public long lost;

    /** Nothing is known yet of so many instances. */
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

    /** One cache that tells of its blocks. */
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

    /** What an instance tells by: of its engine's cache, or of the tier in a place. */
    public Publisher publisher(int instance, int level) {
        return new Publisher(instance, level);
    }

    /** An instance has tiers; one of its pool tells for the store that they share. */
    void hasTiers(int instance, int owner) {
        hasTiers = true;
        storeOwner[instance] = owner;
    }

    public boolean hasTiers() {
        return hasTiers;
    }

    /** Tokens of a block of the engines' caches. */
    public int block() {
        return block;
    }

    /** Hears what has come. */
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

    /** Clears the bit of an instance; whether none is left. */
    private static boolean clear(long[] holdersOfKey, int instance) {
        holdersOfKey[instance / BITS_PER_WORD] &= ~(1L << instance);
        for (long word : holdersOfKey) {
            if (word != 0) {
                return false;
            }
        }
        return true;
    }

    /** The instances that have a block, one bit each, by its key in the engines' caches. */
    public Map<Long, long[]> holders() {
        return holders.get(DEVICE);
    }

    /** Keys of all whole blocks of a prompt in the engines' caches. */
    public long[] keys(int request) {
        if (keyedRequest != request) {
            keys = prompts.cacheKeys(request, block, unit);
            keyedRequest = request;
        }
        return keys;
    }

    /** Notes what of a prompt an instance is thought to have that was chosen for it. */
    public void routed(int request, int instance) {
        applyEvents();
        int limit = (prompts.promptTokens(request) - 1) / block;
        predictedHits[request] = run(keys(request), 0, limit, instance, DEVICE) * block;
    }

    /** Tokens that a router counted on where it sent a request; -1 where it sent none with its prompt. */
    public int predictedHits(int request) {
        return predictedHits[request];
    }

    /**
     * Tokens of a prompt behind the first local ones that an instance has in its host's memory, behind those on its disk, and
     * in the store of its pool.
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

    /** Blocks from a place on that an instance has. */
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
