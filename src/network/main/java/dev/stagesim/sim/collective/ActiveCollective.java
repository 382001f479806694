package dev.stagesim.sim.collective;

/** A collective node in progress on one NPU. */
final class ActiveCollective {
    final int node;
    int chunksLeft;

    ActiveCollective(int node, int chunks) {
        this.node = node;
        this.chunksLeft = chunks;
    }
}
