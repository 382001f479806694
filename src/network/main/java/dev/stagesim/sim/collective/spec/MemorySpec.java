package dev.stagesim.sim.collective.spec;

/**
 * Remote memory.
 *
 * @param kind sharing of its servers
 * @param latency of an access in ns
 * @param bandwidth in GB/s (1e9 bytes), equal to bytes per ns; 0 reduces the cost to the latency
 * @param npusPerNode NPUs per server, for {@link Kind#PER_NODE}; otherwise 0
 */
public record MemorySpec(Kind kind, long latency, long bandwidth, int npusPerNode) {
    /** Sharing of servers. */
    public enum Kind {
        /** No remote memory. */
        NONE,
        /** One server per NPU, with unlimited concurrent requests. */
        PER_NPU,
        /** One server per node. */
        PER_NODE,
        /** One server for all NPUs. */
        POOL
    }

    /** No remote memory. */
    public static final MemorySpec ABSENT = new MemorySpec(Kind.NONE, 0, 0, 0);

    public MemorySpec {
        if (kind == Kind.PER_NODE && npusPerNode < 1) {
            throw new IllegalArgumentException("npusPerNode must be at least 1, not " + npusPerNode);
        }
    }
}
