package dev.stagesim.feature.cluster.router;

/**
 * Chooses instances for requests, knowing what it sent where and what came of it. Instances count from 0 within its group.
 *
 * <p>A choice costs no look at all instances: loads stand in a {@link dev.stagesim.sim.core.Tournament}, prefixes in a {@code PrefixIndex}.
 */
public interface Router {
    /** The open instance for a request, of which there is one at least; {@code hasPrompt} tells whether its prompt is computed there. */
    int choose(int request, boolean hasPrompt);

    /** A request was sent to an instance. */
    default void sent(int request, int instance, boolean hasPrompt) {}

    /** The prompt of a request was computed. */
    default void prompted(int request, int instance) {}

    /** A request is done, with all its tokens known there or its prompt alone. */
    default void done(int request, int instance, boolean hasOutput) {}

    /** An instance is open, with an empty cache. */
    default void opened(int instance) {}

    /** An instance was closed; requests may still be done there. */
    default void closed(int instance) {}
}
