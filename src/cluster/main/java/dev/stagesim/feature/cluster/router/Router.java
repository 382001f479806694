package dev.stagesim.feature.cluster.router;

/**
 * Chooses an instance for each request. Instances are numbered from 0 within their group.
 *
 * <p>Most policies choose in less than O(instances): loads are kept in a {@link dev.stagesim.sim.core.Tournament},
 * prefixes in a {@code PrefixIndex}.
 */
public interface Router {
    /**
     * Returns the instance for a request. At least one is open. {@code hasPrompt} is true if the instance will prefill
     * the request.
     */
    int choose(int request, boolean hasPrompt);

    /** Records that a request was sent to an instance. */
    default void sent(int request, int instance, boolean hasPrompt) {}

    /** Records the end of a prefill. */
    default void prefilled(int request, int instance) {}

    /** Records the completion of a request. {@code hasOutput} is true if the instance has cached its output, too. */
    default void done(int request, int instance, boolean hasOutput) {}

    /** Records that an instance opened with an empty cache. */
    default void opened(int instance) {}

    /** Records that an instance was closed. Its requests may still complete. */
    default void closed(int instance) {}
}
