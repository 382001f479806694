package dev.stagesim.sim.serving.memory;

import dev.stagesim.sim.core.IntList;
import dev.stagesim.sim.serving.request.UnitKeys;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Finds the longest prefix that is cached in every kind of layer. */
final class PrefixLookup {
    /** Groups of the same specification: a block counts only if each of them has it. */
    private final class Family {
        private final KvGroup group;
        private final int size;
        private final int[] ids;
        private final boolean drops;
        private boolean isVerified;
        private int found = -1;
        /** Blocks of each of them at the end looked at last. */
        private final int[] looked;

        Family(List<GroupCache> caches) {
            GroupCache first = caches.get(0);
            group = first.group;
            size = first.size;
            drops = first.drops;
            ids = caches.stream().mapToInt(cache -> cache.id).toArray();
            looked = new int[ids.length];
        }

        boolean has(UnitKeys keys, int end) {
            long key = keys.key(end / unit - 1);
            for (int i = 0; i < ids.length; i++) {
                looked[i] = pool.keys().find(ids[i], key);
                if (looked[i] < 0) {
                    return false;
                }
            }
            return true;
        }

        /** Adds the blocks that {@link #has} has just found. */
        void put(Match match, int at) {
            for (int i = 0; i < ids.length; i++) {
                IntList list = match.blocks(ids[i]);
                if (at == list.size()) {
                    list.add(looked[i]);
                } else {
                    list.set(at, looked[i]);
                }
            }
        }

        void begin(Match match, int nulls) {
            for (int id : ids) {
                match.blocks(id).clear();
                match.blocks(id).fill(nulls, BlockPool.NULL);
            }
        }

        void truncate(Match match, int length) {
            for (int id : ids) {
                match.blocks(id).truncate(length);
            }
        }

        /** Looks up at most {@code limit} tokens and returns the length of the hit. */
        int find(UnitKeys keys, int limit, boolean drop, Match match) {
            return switch (group.kind()) {
                case FULL, ROLLING_WINDOW -> findFull(keys, limit, drop, match);
                case SLIDING_WINDOW -> findWindow(keys, limit, drop, match);
                case CHUNKED_LOCAL -> findChunk(keys, limit, match);
                case MAMBA -> findState(keys, limit, match);
            };
        }

        private int findFull(UnitKeys keys, int limit, boolean drop, Match match) {
            begin(match, 0);
            int count = 0;
            while ((count + 1) * size <= limit && has(keys, (count + 1) * size)) {
                put(match, count);
                count++;
            }
            int tokens = count * size;
            if (matchesParts) {
                for (int end = highestPart(tokens, limit); end > tokens; end -= unit) {
                    if (has(keys, end)) {
                        put(match, count);
                        tokens = end;
                    }
                }
            }
            if (drop && tokens > 0) {
                tokens -= matchesParts ? unit : size;
            }
            while (tokens % hitUnit != 0) {
                tokens -= size;
            }
            truncate(match, KvLayout.ceilDiv(tokens, size));
            return tokens;
        }

        private int highestPart(int tokens, int limit) {
            return Math.min(limit / unit * unit, tokens + size - unit);
        }

        private int findWindow(UnitKeys keys, int limit, boolean drop, Match match) {
            int wanted = Retention.windowBlocks(group) + (drop ? 1 : 0);
            int places = limit / size;
            begin(match, places);
            int run = 0;
            int length = -1;
            for (int i = places - 1; i >= 0 && length < 0; i--) {
                if (!has(keys, (i + 1) * size)) {
                    run = 0;
                } else if (run > 0 || size == hitUnit || (drop ? i : i + 1) * size % hitUnit == 0) {
                    put(match, i);
                    run++;
                    length = run >= wanted ? i + run : length;
                }
            }
            if (length < 0) {
                length = cut(run);
            }
            if (drop && length > 0) {
                length = cut(length - 1);
            }
            truncate(match, length);
            return length * size;
        }

        private int cut(int blocks) {
            int length = blocks;
            while (length * size % hitUnit != 0) {
                length--;
            }
            return length;
        }

        private int findChunk(UnitKeys keys, int limit, Match match) {
            int at = limit / group.window() * group.window() / size;
            begin(match, at);
            while ((at + 1) * size <= limit && has(keys, (at + 1) * size)) {
                put(match, at);
                at++;
            }
            return at * size;
        }

        private int findState(UnitKeys keys, int limit, Match match) {
            int step = matchesParts ? unit : size;
            for (int end = limit / step * step; end > 0; end -= step) {
                if (end % hitUnit == 0 && has(keys, end)) {
                    int at = (end - 1) / size;
                    begin(match, at);
                    put(match, at);
                    return end;
                }
            }
            begin(match, 0);
            return 0;
        }
    }

    private final BlockPool pool;
    private final int unit;
    private final int hitUnit;
    private final boolean matchesParts;
    private final boolean truncatesAll;
    private final List<Family> families = new ArrayList<>();
    private int longest;
    /** Maximum length of a hit that drops its last block. */
    private int dropLimit;

    PrefixLookup(KvLayout layout, List<GroupCache> caches, BlockPool pool) {
        this.pool = pool;
        unit = layout.unit();
        hitUnit = layout.hitUnit();
        matchesParts = layout.matchesParts();
        truncatesAll = layout.rules().truncatesAllKinds();
        Map<KvGroup, List<GroupCache>> bySpec = new LinkedHashMap<>();
        for (GroupCache cache : caches) {
            bySpec.computeIfAbsent(cache.group, spec -> new ArrayList<>()).add(cache);
        }
        bySpec.values().forEach(members -> families.add(new Family(members)));
        families.sort(Comparator.comparing(family -> !family.group.isFull()));
    }

    /**
     * Finds the longest prefix of at most {@code limit} tokens and records a longer prefix that only some layers have.
     *
     * @param keyed tokens that keys cover
     */
    void find(RequestBlocks requestBlocks, int limit, int keyed, Match match) {
        longest = 0;
        dropLimit = truncatesAll ? keyed : limit;
        int tokens = families.size() == 1
                ? families.get(0).find(requestBlocks.keys(), limit, families.get(0).drops, match)
                : findCommon(requestBlocks.keys(), limit, match);
        match.tokens(tokens);
        requestBlocks.sharedBoundary = longest > tokens ? longest : 0;
    }

    private int findCommon(UnitKeys keys, int limit, Match match) {
        for (Family family : families) {
            family.isVerified = false;
            family.found = -1;
        }
        boolean oneRound = families.size() == 2 && families.get(0).group.isFull();
        int length = limit;
        while (true) {
            int before = length;
            for (Family family : families) {
                length = findIn(family, keys, length, match);
                longest = Math.max(longest, length);
            }
            if (length >= before || oneRound) {
                break;
            }
        }
        for (Family family : families) {
            // before 0.33, a second kind of full attention keeps its whole hit
            if (family.group.isFull() && (truncatesAll || family == families.get(0))) {
                family.truncate(match, KvLayout.ceilDiv(length, family.size));
            }
        }
        return length;
    }

    private int findIn(Family family, UnitKeys keys, int length, Match match) {
        if (family.group.isFull() && family.found >= 0) {
            return Math.min(length, family.found);
        }
        boolean drop = family.drops && !family.isVerified;
        int max = length;
        if (drop && family.group.kind() != KvGroup.Kind.MAMBA) {
            max = Math.min(length + (matchesParts && family.size > unit ? unit : family.size), dropLimit);
        }
        int found = family.find(keys, max, drop, match);
        family.found = found;
        if (drop) {
            family.isVerified = true;
        } else if (found < length) {
            families.forEach(other -> other.isVerified = false);
        }
        return found;
    }
}
