package dev.stagesim.feature.pytorch.trace;

import java.util.Optional;

/**
 * How traces are linked.
 *
 * @param isReference whether the result is the reference's, with what it loses
 * @param pauseMicros shortest pause of a thread after which it is taken to wait for another one
 * @param table synchronisations to use instead of those found in the trace
 */
public record LinkRules(boolean isReference, double pauseMicros, Optional<SyncTable> table) {
    /** Pause that the reference uses. */
    public static final double USUAL_PAUSE = 1000;
}
