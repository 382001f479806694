package dev.stagesim.sim.network;

/**
 * What went over one directed link in a run.
 *
 * @param from NPU, or a device number above the NPUs' for a switch
 * @param to likewise
 * @param dimension dimension of the topology the link belongs to
 * @param bandwidth in bytes per ns
 * @param messages messages that crossed it
 * @param bytes their sum
 * @param busyNs time during which it transmitted
 * @param waitingNs time that messages stood in its queue, summed over messages
 * @param longestQueue greatest number of messages that waited at once
 */
public record LinkUse(
        int from,
        int to,
        int dimension,
        double bandwidth,
        long messages,
        long bytes,
        long busyNs,
        long waitingNs,
        int longestQueue) {}
