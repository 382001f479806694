package dev.stagesim.pipeline;

/**
 * How a sweep is launched; takes no part in results.
 *
 * @param threads jobs that run at a time
 * @param failFast begin no further job once one has failed
 */
public record LaunchOptions(int threads, boolean failFast) {
    /** One job per processor, keep going after failures. */
    public static final LaunchOptions DEFAULT =
            new LaunchOptions(Runtime.getRuntime().availableProcessors(), false);

    public LaunchOptions {
        if (threads < 1) {
            throw new IllegalArgumentException("threads " + threads);
        }
    }
}
