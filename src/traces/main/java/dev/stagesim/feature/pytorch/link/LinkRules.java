package dev.stagesim.feature.pytorch.link;

import java.util.Optional;

/**
 * Rules for linking.
 *
 * @param isReference true to reproduce the reference, including its data loss
 * @param pauseMicros minimum pause of a thread, in microseconds, that counts as waiting for another thread
 * @param table synchronisations to use instead of those in the trace
 */
public record LinkRules(boolean isReference, double pauseMicros, Optional<SyncTable> table) {
    /** Pause in the reference, in microseconds. */
    public static final double DEFAULT_PAUSE = 1000;
}
