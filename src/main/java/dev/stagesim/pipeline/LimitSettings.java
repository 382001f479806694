package dev.stagesim.pipeline;

import dev.stagesim.model.Key;
import java.util.Optional;

/** What a run may be expected to take; one that is expected to take more is refused before it begins. No part of a run's id. */
public record LimitSettings(
        @Key(
                        "Maximum number of events of a simulation: tokens, messages, frames times cables, or cycles of an array that are followed. | 5e9 | >0..")
                double events,
        @Key("Longest expected time of a run; null for any. | null | h | >0..") Optional<Double> hours,
        @Key("Maximum expected memory of a run; null for the heap of this Java. | null | GiB | >0..")
                Optional<Double> memoryGib,
        @Key("Maximum expected size of a run on disk; null for what is free there. | null | GiB | >0..")
                Optional<Double> diskGib) {
    /** As where nothing is said. */
    public static final LimitSettings DEFAULT =
            new LimitSettings(5e9, Optional.empty(), Optional.empty(), Optional.empty());

    /** For runs that were let through elsewhere. */
    public static final LimitSettings NONE = new LimitSettings(
            Double.MAX_VALUE, Optional.empty(), Optional.of(Double.MAX_VALUE), Optional.of(Double.MAX_VALUE));
}
