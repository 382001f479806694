package dev.stagesim.sim.network;

/**
 * Traffic of one directed link in a run.
 *
 * @param from number of an NPU, or of a switch (switches follow the NPUs)
 * @param to number of an NPU or a switch
 * @param dimension dimension of the topology that contains the link
 * @param bandwidth in bytes per ns
 * @param messages messages that crossed the link
 * @param bytes sum of their sizes
 * @param busyNs transmission time
 * @param waitingNs queueing time, summed over messages
 * @param longestQueue maximum number of messages in the queue
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
