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

    /** Bytes per ns of a link: the bandwidth times 2^30 over 1e9, multiplied first. */
    public double bytesPerNs() {
        return bandwidth * (1L << 30) / 1e9;
    }
}
