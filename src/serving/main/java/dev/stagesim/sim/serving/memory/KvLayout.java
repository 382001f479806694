package dev.stagesim.sim.serving.memory;

import java.util.List;

/**
 * The layout of the KV cache of one engine.
 *
 * @param groups the groups, which share one pool
 * @param blocks blocks of the pool, including the null block
 * @param caches whether the prefix cache is on
 * @param matchUnit tokens of the smallest unit of a match, or 0 for the GCD of the block sizes
 * @param retention {@link #DENSE}, or the distance in tokens of the boundaries that window and Mamba groups cache; 0
 *     for only the last boundary of a prompt
 * @param maxModelLen maximum tokens of a sequence
 * @param tokensInFlight maximum tokens that are scheduled and not processed, which limits the blocks of a window group
 * @param dropsLastHit whether a draft model requires that the last block of a hit is recomputed
 * @param draftReach tokens after its own that the last module of a multi-module draft reads, 0 for other drafts
 * @param keyedAhead tokens after a block that its key also covers
 * @param rules rules of the engine's version
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
        int draftReach,
        int keyedAhead,
        VllmRules rules) {
    /** Caches every boundary. */
    public static final int DENSE = -1;

    public KvLayout {
        groups = List.copyOf(groups);
        if (groups.isEmpty() || blocks < 2) {
            throw new IllegalArgumentException("a cache needs a group and a block besides the null block");
        }
    }

    /** Returns a layout for an engine without a draft model. */
    static KvLayout plain(
            List<KvGroup> groups, int blocks, boolean caches, int matchUnit, int maxModelLen, long tokensInFlight) {
        return new KvLayout(
                groups, blocks, caches, matchUnit, DENSE, maxModelLen, tokensInFlight, false, 0, 0, VllmRules.NEWEST);
    }

    /** Returns a layout with one group that caches every boundary. */
    public static KvLayout single(KvGroup group, int blocks, boolean caches, int maxModelLen) {
        return plain(List.of(group), blocks, caches, 0, maxModelLen, maxModelLen);
    }

    /** Returns a multiple of all block sizes, at which hits end. */
    public int alignment() {
        long multiple = 1;
        for (KvGroup group : groups) {
            multiple = multiple / gcd(multiple, group.blockSize()) * group.blockSize();
        }
        return Math.toIntExact(multiple);
    }

    /** Returns the tokens that a key represents. */
    public int unit() {
        return unit(caches);
    }

    /**
     * Returns the tokens that a key represents.
     *
     * @param hasKeys whether a prefix cache or a connector uses keys
     */
    public int unit(boolean hasKeys) {
        boolean keepsOtherStates = false;
        for (KvGroup group : groups) {
            keepsOtherStates |= group.kind() == KvGroup.Kind.MAMBA && group.states() != KvGroup.States.ALIGN;
        }
        if (!hasKeys || keepsOtherStates) {
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

    /** Returns true if a hit can end inside a block. */
    public boolean matchesParts() {
        int unit = unit();
        return caches
                && groups.stream().anyMatch(group -> group.isAligned() && group.blockSize() > unit)
                && groups.stream()
                        .allMatch(group ->
                                group.isFull() || group.kind() == KvGroup.Kind.MAMBA || group.blockSize() == unit);
    }

    /** Returns the unit of hit lengths in tokens; every hit length is a multiple of it. */
    public int hitUnit() {
        return matchesParts() ? unit() : alignment();
    }

    /**
     * Returns true if the kernel can save the state at {@code position} in a step from {@code start} to {@code end}.
     */
    public boolean savesInside(KvGroup group, int start, int end, int position) {
        int multiple = group.checkpointAlignment();
        return multiple > 0
                && start % unit() == 0
                && ceilDiv(end, group.blockSize()) - 2 > Math.floorDiv(start - 1, group.blockSize())
                && start + unit() <= position
                && position < end
                && (position - start) % multiple == 0;
    }

    /** Returns the multiple of tokens at which sparse retention keeps states. */
    int retainedUnit() {
        return rules.keepsReplayBoundaries() ? hitUnit() : alignment();
    }

    /**
     * Returns the last position up to which the state of a prefix of {@code tokens} tokens can be reused: it leaves
     * tokens to compute, and tokens that its key covers.
     */
    public int lastStatePosition(int tokens, int step) {
        if (dropsLastHit) {
            return Math.max(tokens / step * step - step, 0);
        }
        return Math.max(tokens - Math.max(1, keyedAhead), 0) / step * step;
    }

    /** Returns true if the last hit block of a group is recomputed. */
    boolean dropsLastHit(int group) {
        return dropsLastHit && (groups.get(group).isDraft() || groups.stream().noneMatch(KvGroup::isDraft));
    }

    /**
     * Returns the maximum number of blocks that a group needs for a request of any length, or -1 if it depends on the
     * length.
     */
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

    /** Returns the smallest block size of a group. */
    public int smallestBlock() {
        return groups.stream().mapToInt(KvGroup::blockSize).min().orElseThrow();
    }

    static long ceilDiv(long tokens, long size) {
        return (tokens + size - 1) / size;
    }

    public static int ceilDiv(int tokens, int size) {
        return (int) ceilDiv((long) tokens, (long) size);
    }

    private static long gcd(long a, long b) {
        return b == 0 ? a : gcd(b, a % b);
    }
}
