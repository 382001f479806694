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
public final class CacheNews {
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
    private static final int WORD = 64;

    /** A block of a level of an instance; {@code life} tells apart what it had before it lost all. */
    private record Event(double at, int seat, int level, int life, long key, boolean isThere) {}

    private final Prompts prompts;
    private final double delay;
    private final double lostShare;
    private final RandomStream random;
    private final DoubleSupplier clock;
    private final int words;
    private final ArrayDeque<Event> queue = new ArrayDeque<>();
    private final List<Map<Long, long[]>> holders = new ArrayList<>();
    private final int[] lives;

    /** The seat that tells for the store that an instance shares. */
    private final int[] home;

    private boolean hasTiers;
    private final int[] foreseen;
    private int block = 1;
    private int unit = 1;
    private int keyed = -1;
    private long[] keys = {};
    private int tierKeyed = -1;
    private long[] tierKeys = {};

    /** Messages that were sent, and those of them that were lost. */
    public long sent;

    public long lost;

    /** Nothing is known yet of so many instances. */
    public CacheNews(Settings settings, Prompts prompts, int size, RandomStream random, DoubleSupplier clock) {
        this.prompts = prompts;
        this.random = random;
        this.clock = clock;
        delay = settings.delayMs() / 1e3;
        lostShare = settings.lostShare();
        words = (size + WORD - 1) / WORD;
        lives = new int[size * LEVELS];
        foreseen = new int[prompts.trace().size()];
        Arrays.fill(foreseen, -1);
        home = new int[size];
        for (int i = 0; i < LEVELS; i++) {
            holders.add(new LinkedHashMap<>());
        }
    }

    /** One cache that tells of its blocks. */
    final class Sender implements CacheEvents {
        private final int seat;
        private final int level;
        private double last = Double.NaN;
        private boolean isLost;

        private Sender(int seat, int level) {
            this.seat = seat;
            this.level = level;
        }

        @Override
        public void begins(int ofBlock, int ofUnit) {
            if (level == DEVICE && block > 1 && ofBlock != block) {
                throw new IllegalStateException("blocks of " + block + " and of " + ofBlock + " tokens");
            }
            block = level == DEVICE ? ofBlock : block;
            unit = level == DEVICE ? ofUnit : unit;
            lives[seat * LEVELS + level]++;
            holders.get(level).values().removeIf(who -> clear(who, seat));
        }

        @Override
        public void stored(long key) {
            tell(key, true);
        }

        @Override
        public void removed(long key) {
            tell(key, false);
        }

        private void tell(long key, boolean isThere) {
            double now = clock.getAsDouble();
            if (now != last) {
                last = now;
                isLost = lostShare > 0 && random.nextDouble() < lostShare;
                sent++;
                lost += isLost ? 1 : 0;
            }
            if (!isLost) {
                queue.add(new Event(now, seat, level, lives[seat * LEVELS + level], key, isThere));
            }
        }
    }

    /** What an instance tells by: of its engine's cache, or of the tier in a place. */
    public Sender sender(int seat, int level) {
        return new Sender(seat, level);
    }

    /** An instance has tiers; one of its pool tells for the store that they share. */
    void hasTiers(int seat, int first) {
        hasTiers = true;
        home[seat] = first;
    }

    public boolean hasTiers() {
        return hasTiers;
    }

    /** Tokens of a block of the engines' caches. */
    public int block() {
        return block;
    }

    /** Hears what has come. */
    public void hear() {
        double now = clock.getAsDouble();
        while (!queue.isEmpty() && queue.getFirst().at() + delay <= now) {
            Event event = queue.removeFirst();
            if (event.life() != lives[event.seat() * LEVELS + event.level()]) {
                continue;
            }
            Map<Long, long[]> all = holders.get(event.level());
            if (event.isThere()) {
                all.computeIfAbsent(event.key(), key -> new long[words])[event.seat() / WORD] |= 1L << event.seat();
            } else {
                all.computeIfPresent(event.key(), (key, who) -> clear(who, event.seat()) ? null : who);
            }
        }
    }

    /** Clears the bit of an instance; whether none is left. */
    private static boolean clear(long[] who, int seat) {
        who[seat / WORD] &= ~(1L << seat);
        for (long word : who) {
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
        if (keyed != request) {
            keys = prompts.cacheKeys(request, block, unit);
            keyed = request;
        }
        return keys;
    }

    /** Notes what of a prompt an instance is thought to have that was chosen for it. */
    public void chosen(int request, int seat) {
        hear();
        int most = (prompts.promptTokens(request) - 1) / block;
        foreseen[request] = run(keys(request), 0, most, seat, DEVICE) * block;
    }

    /** Tokens that a router counted on where it sent a request; -1 where it sent none with its prompt. */
    public int foreseen(int request) {
        return foreseen[request];
    }

    /**
     * Tokens of a prompt behind the first local ones that an instance has in its host's memory, behind those on its disk, and
     * in the store of its pool.
     */
    public void behind(int request, int seat, int local, int[] tokens) {
        if (tierKeyed != request) {
            tierKeys = prompts.blocks(request, prompts.promptTokens(request) - 1, KvTiers.BLOCK);
            tierKeyed = request;
        }
        int at = local / KvTiers.BLOCK;
        int most = local % KvTiers.BLOCK == 0 ? tierKeys.length : 0;
        int host = run(tierKeys, at, most, seat, 1);
        tokens[0] = host * KvTiers.BLOCK;
        tokens[1] = run(tierKeys, at + host, most, seat, 2) * KvTiers.BLOCK;
        tokens[2] = run(tierKeys, at, most, home[seat], 3) * KvTiers.BLOCK;
    }

    /** Blocks from a place on that an instance has. */
    private int run(long[] of, int from, int to, int seat, int level) {
        int at = from;
        while (at < to) {
            long[] who = holders.get(level).get(of[at]);
            if (who == null || (who[seat / WORD] & 1L << seat) == 0) {
                break;
            }
            at++;
        }
        return Math.max(0, at - from);
    }
}
