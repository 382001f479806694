package dev.stagesim.pipeline;

import dev.stagesim.model.Key;
import java.util.Optional;

/**
 * Limits of the expected cost of a run. A run that would exceed a limit is rejected before it starts. The limits are
 * not part of a run's id.
 */
public record LimitSettings(
        @Key(
                        "Maximum number of events of a simulation: tokens, messages, frames times links, or simulated cycles of an array. | 5e9 | >0..")
                double events,
        @Key("Longest expected time of a run; null for any. | null | h | >0..") Optional<Double> hours,
        @Key("Maximum expected memory of a run; null for the Java heap size. | null | GiB | >0..")
                Optional<Double> memoryGib,
        @Key("Maximum expected size of a run on disk; null for the free space there. | null | GiB | >0..")
                Optional<Double> diskGib) {
    /** The default limits. */
    public static final LimitSettings DEFAULT =
            new LimitSettings(5e9, Optional.empty(), Optional.empty(), Optional.empty());

    /** No limits, for runs that were checked before. */
    public static final LimitSettings NONE = new LimitSettings(
            Double.MAX_VALUE, Optional.empty(), Optional.of(Double.MAX_VALUE), Optional.of(Double.MAX_VALUE));
}
