package dev.stagesim.sim.serving;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/** What Vidur does by accident; {@code compat=vidur} is all of them, each a choice of one part. */
public enum Accident {
    /** Memory is planned in whole longest sequences. */
    SEQUENCE_BLOCKS,
    /** A running request needs a free block even when its token fits into its last one. */
    SPARE_BLOCK,
    /** A prompt that is partly processed when its request restarts becomes the whole prompt. */
    SHRUNK_PROMPTS,
    /** Requests of a static batch that end before its last one keep their memory. */
    UNFREED_MEMBERS,
    /** The least outstanding requests are those that wait. */
    WAITING_ONLY,
    /** Replicas that get requests at one time plan in the order of a hash table, which from nine replicas on is not theirs. */
    HASHED_ORDER,
    /** Operators are asked for multiples of eight tokens. */
    TILES,
    /** Several chunks of prompts always count as one, whether operator times cover it or not. */
    MERGED_CHUNKS,
    /** A teraflop is 2^40 operations. */
    BINARY_TERAFLOPS,
    /** Means leave out what begins at 0 s, memory's mean is that of its samples, and samples outside the window are lost. */
    SAMPLED_MEANS,
    /** Operators are logged as often as they are added up, {@code add} twice. */
    LOGGED_SUMS;

    /** Everything that the reference does. */
    public static final Set<Accident> VIDUR = Collections.unmodifiableSet(EnumSet.allOf(Accident.class));

    /** Nothing of it. */
    public static final Set<Accident> NONE = Set.of();
}
