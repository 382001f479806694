package dev.stagesim.feature.cluster.transfer;

/** What carries keys and values from instance to instance; transfers have numbers. */
public interface KvTransport {
    /** Begins a transfer. */
    void start(int transfer, int source, int target, double bytes, double now);

    /** Whether a transfer is in progress. */
    boolean isActive(int transfer);

    /** Transfers in progress. */
    int active();

    /**
     * When the next transfer ends; infinite when none does, or none before {@code until}.
     *
     * @param until when something else happens, at the latest
     */
    double nextSeconds(double until);

    /** Ends the transfer that {@link #nextSeconds} told of. */
    int end();

    /** Ends a transfer that is in progress before its time. */
    void stop(int transfer, double now);

    /** Whether transfers share links. */
    boolean isFair();

    /** Seconds that the busiest link of a network needs at full bandwidth for all its bytes; 0 without a network. */
    default double busiestSeconds() {
        return 0;
    }
}
