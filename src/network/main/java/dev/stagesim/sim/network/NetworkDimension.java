package dev.stagesim.sim.network;

/**
 * One dimension of an analytical network.
 *
 * @param topology shape
 * @param npus NPUs along the dimension, at least 2
 * @param bandwidth of each link in GiB/s (2^30 bytes), above 0
 * @param latency of each hop in ns, at least 0
 */
public record NetworkDimension(Topology topology, int npus, double bandwidth, double latency) {
    public NetworkDimension {
        if (npus < 2) {
            throw new IllegalArgumentException("a dimension has at least 2 NPUs, not " + npus);
        }
        if (!(bandwidth > 0)) {
            throw new IllegalArgumentException("bandwidth must be above 0, not " + bandwidth);
        }
        if (!(latency >= 0)) {
            throw new IllegalArgumentException("latency must be at least 0, not " + latency);
        }
    }

    /** Maximum plausible bandwidth of a link in GB/s. */
    static final double MAX_BANDWIDTH = 1e9;

    /** Minimum plausible bandwidth of a link in GB/s. */
    static final double MIN_BANDWIDTH = 1e-6;

    /** Maximum plausible latency of a hop in ns, about 11 days. */
    static final double MAX_LATENCY = 1e15;

    /** Describes an implausible bandwidth or latency, or returns an empty string if both are plausible. */
    public static String implausible(double gigabytesPerSecond, double latencyNs) {
        if (!(gigabytesPerSecond >= MIN_BANDWIDTH && gigabytesPerSecond <= MAX_BANDWIDTH)) {
            return "found a bandwidth of " + gigabytesPerSecond + " GB/s, expected " + MIN_BANDWIDTH + " to "
                    + MAX_BANDWIDTH;
        }
        return latencyNs <= MAX_LATENCY
                ? ""
                : "found a latency of " + latencyNs + " ns, expected at most " + MAX_LATENCY;
    }

    /** Bytes per ns of a link: bandwidth x 2^30 / 1e9. The multiplication comes first, as in the reference. */
    public double bytesPerNs() {
        return bandwidth * (1L << 30) / 1e9;
    }
}
