package dev.stagesim.feature.cluster.transfer;

/** Transfers KV blocks between instances. Transfers are identified by number. */
public interface KvTransport {
    void start(int transfer, int source, int target, double bytes, double now);

    /** Returns true if a transfer is in progress. */
    boolean isActive(int transfer);

    /** Returns the number of transfers in progress. */
    int active();

    /**
     * Returns the end time of the next transfer, or infinity if none ends before {@code until}.
     *
     * @param until latest time of the next other event
     */
    double nextSeconds(double until);

    /** Completes the transfer that {@link #nextSeconds} reported. */
    int end();

    /** Aborts a transfer in progress. */
    void stop(int transfer, double now);

    /** Returns true if transfers share links. */
    boolean isFair();

    /** Returns the seconds that the busiest network link needs for its bytes at full bandwidth; 0 without a network. */
    default double busiestSeconds() {
        return 0;
    }
}
