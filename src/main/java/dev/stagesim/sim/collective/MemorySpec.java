package dev.stagesim.sim.collective;

/**
 * Memory beyond the NPU's own.
 *
 * @param kind where it is
 * @param latency of an access in ns
 * @param bandwidth in GB/s (1e9 bytes), which is bytes per ns; 0 makes the transfer cost the latency alone
 * @param npusPerNode NPUs that share a server, for {@link Kind#PER_NODE}; otherwise 0
 */
public record MemorySpec(Kind kind, long latency, long bandwidth, int npusPerNode) {
    /** Who shares a server. */
    public enum Kind {
        /** There is none. */
        NONE,
        /** Every NPU has its own, which serves any number of requests at once. */
        PER_NPU,
        /** The NPUs of a node share a server. */
        PER_NODE,
        /** All NPUs share one server. */
        POOL
    }

    /** No memory beyond the NPU's own. */
    public static final MemorySpec ABSENT = new MemorySpec(Kind.NONE, 0, 0, 0);

    public MemorySpec {
        if (kind == Kind.PER_NODE && npusPerNode < 1) {
            throw new IllegalArgumentException("npusPerNode must be at least 1, not " + npusPerNode);
        }
    }
}
