package dev.stagesim.sim.serving.memory;

import java.util.List;

/**
 * How the cache of one engine is divided, and what follows from it.
 *
 * @param groups the groups, which share one pool
 * @param blocks blocks of the pool, the null block included
 * @param caches whether blocks can be found again
 * @param matchUnit tokens of a unit that can be matched, 0 for the greatest common divisor of the block sizes
 * @param retention {@link #DENSE}, or the distance in tokens of the boundaries that window and Mamba groups keep, 0 for
 *     the last one of a prompt alone
 * @param maxModelLen most tokens of a sequence
 * @param tokensInFlight most tokens scheduled and not processed, which bounds what a window group needs
 * @param dropsLastHit whether a draft model needs the last block of a hit computed again
 * @param draftReach tokens behind its own that the last module of a multi-module draft reads, 0 for all others
 */
public record KvLayout(
        List<KvGroup> groups,
        int blocks,
        boolean caches,
        int matchUnit,
        int retention,
        int maxModelLen,
        long tokensInFlight,
        boolean dropsLastHit,
        int draftReach) {
    /** Retention of every boundary. */
    public static final int DENSE = -1;

    public KvLayout {
        groups = List.copyOf(groups);
        if (groups.isEmpty() || blocks < 2) {
            throw new IllegalArgumentException("a cache needs a group and a block besides the null block");
        }
    }

    /** One group, every boundary kept. */
    public static KvLayout single(KvGroup group, int blocks, boolean caches, int maxModelLen) {
        return new KvLayout(List.of(group), blocks, caches, 0, DENSE, maxModelLen, maxModelLen, false, 0);
    }

    /** Multiple of all block sizes: hits end there. */
    public int alignment() {
        long multiple = 1;
        for (KvGroup group : groups) {
            multiple = multiple / gcd(multiple, group.blockSize()) * group.blockSize();
        }
        return Math.toIntExact(multiple);
    }

    /** Tokens that a key stands for. */
    public int unit() {
        boolean keepsOtherStates = groups.stream()
                .anyMatch(group -> group.kind() == KvGroup.Kind.MAMBA && group.states() != KvGroup.States.ALIGN);
        if (!caches || keepsOtherStates) {
            return alignment();
        }
        if (groups.size() == 1) {
            return groups.get(0).blockSize();
        }
        if (matchUnit > 0) {
            return matchUnit;
        }
        long divisor = 0;
        for (KvGroup group : groups) {
            divisor = gcd(group.blockSize(), divisor);
        }
        return (int) divisor;
    }

    /** Whether a hit can end inside a block. */
    public boolean matchesParts() {
        int unit = unit();
        return caches
                && groups.stream().anyMatch(group -> group.isAligned() && group.blockSize() > unit)
                && groups.stream()
                        .allMatch(group ->
                                group.isFull() || group.kind() == KvGroup.Kind.MAMBA || group.blockSize() == unit);
    }

    /** Hits are multiples of this. */
    int hitUnit() {
        return matchesParts() ? unit() : alignment();
    }

    /** Whether the last hit block of a group is computed again. */
    boolean dropsLastHit(int group) {
        return dropsLastHit && (groups.get(group).isDraft() || groups.stream().noneMatch(KvGroup::isDraft));
    }

    /** Most blocks that a group needs for a request of any length, or -1 where that has no bound below its length. */
    public int admissionCap(int group) {
        KvGroup spec = groups.get(group);
        int size = spec.blockSize();
        return switch (spec.kind()) {
            case SLIDING_WINDOW ->
                (int) ceilDiv(Math.min(spec.window() - 1L + draftReach + tokensInFlight, maxModelLen), size) + 1;
            case CHUNKED_LOCAL -> (int) ceilDiv(Math.min(spec.window() + tokensInFlight, maxModelLen), size);
            default -> -1;
        };
    }

    /** Smallest block size of a group. */
    public int smallestBlock() {
        return groups.stream().mapToInt(KvGroup::blockSize).min().orElseThrow();
    }

    public static long ceilDiv(long tokens, long size) {
        return (tokens + size - 1) / size;
    }

    public static int ceilDiv(int tokens, int size) {
        return (int) ceilDiv((long) tokens, (long) size);
    }

    private static long gcd(long a, long b) {
        return b == 0 ? a : gcd(b, a % b);
    }
}
