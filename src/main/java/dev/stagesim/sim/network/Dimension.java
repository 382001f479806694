package dev.stagesim.sim.network;

/**
 * One dimension of an analytical network.
 *
 * @param topology its shape
 * @param npus NPUs along it, at least 2
 * @param bandwidth of each link in GiB/s (2^30 bytes), above 0
 * @param latency of each hop in ns, at least 0
 */
public record Dimension(Topology topology, int npus, double bandwidth, double latency) {
    public Dimension {
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

    /** Most GB/s that a link may be said to have. */
    public static final double MAX_BANDWIDTH = 1e9;

    /** Fewest GB/s. */
    public static final double MIN_BANDWIDTH = 1e-6;

    /** Longest latency of a hop in ns, about 11 days. */
    public static final double MAX_LATENCY = 1e15;

    /** What is beyond belief about a link's figures; empty when nothing is. */
    public static String implausible(double gigabytesPerSecond, double latencyNs) {
        if (!(gigabytesPerSecond >= MIN_BANDWIDTH && gigabytesPerSecond <= MAX_BANDWIDTH)) {
            return "found a bandwidth of " + gigabytesPerSecond + " GB/s, expected " + MIN_BANDWIDTH + " to "
                    + MAX_BANDWIDTH;
        }
        return latencyNs <= MAX_LATENCY
                ? ""
                : "found a latency of " + latencyNs + " ns, expected at most " + MAX_LATENCY;
    }

    /** Bytes per ns of a link: the bandwidth times 2^30 over 1e9, multiplied first. */
    public double bytesPerNs() {
        return bandwidth * (1L << 30) / 1e9;
    }
}
