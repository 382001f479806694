package dev.stagesim.sim.serving.spec;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/** Vidur bugs that {@code compat=vidur} reproduces; each constant switches one. */
public enum VidurQuirk {
    /** Memory is planned in blocks of one sequence of the maximum length. */
    SEQUENCE_BLOCKS,
    /** A running request needs a free block even if its next token fits into its last block. */
    SPARE_BLOCK,
    /** If a request restarts in the middle of its prompt, the computed part becomes the whole prompt. */
    SHRUNK_PROMPTS,
    /** Requests of a static batch that end before the last request of the batch keep their memory. */
    UNFREED_MEMBERS,
    /** The LOR scheduler counts the waiting requests only, not the running ones. */
    WAITING_ONLY,
    /**
     * Replicas that receive requests at the same time plan in the order of a hash table. It differs from their order for
     * nine or more replicas.
     */
    HASHED_ORDER,
    /** Operator times are read at multiples of eight tokens. */
    TILES,
    /** Several prefill chunks always count as one chunk, even if the operator times do not cover it. */
    MERGED_CHUNKS,
    /** A teraflop is 2^40 operations. */
    BINARY_TERAFLOPS,
    /**
     * Means omit values that start at 0 s, the mean of memory is the mean of its samples, and samples outside the window are
     * lost.
     */
    SAMPLED_MEANS,
    /** Operators are logged once per addition; {@code add} is logged twice. */
    LOGGED_SUMS;

    /** All bugs. */
    public static final Set<VidurQuirk> VIDUR = Collections.unmodifiableSet(EnumSet.allOf(VidurQuirk.class));

    /** No bugs. */
    public static final Set<VidurQuirk> NONE = Set.of();
}
