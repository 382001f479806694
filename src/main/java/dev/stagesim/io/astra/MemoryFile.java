package dev.stagesim.io.astra;

import dev.stagesim.sim.collective.MemorySpec;

/**
 * What a remote-memory file says.
 *
 * @param spec the memory
 * @param nodes nodes that have one, where each node has; otherwise 0
 */
public record MemoryFile(MemorySpec spec, int nodes) {
    /** No memory beyond the NPUs' own. */
    public static final MemoryFile NONE = new MemoryFile(MemorySpec.ABSENT, 0);
}
