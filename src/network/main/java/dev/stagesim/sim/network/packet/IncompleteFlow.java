package dev.stagesim.sim.network.packet;

/**
 * A flow that has not completed.
 *
 * @param source rank of the sender
 * @param destination rank of the receiver
 * @param bytes of the message
 * @param sent bytes sent at least once
 * @param arrived bytes that the receiver has in order
 * @param acknowledged bytes acknowledged at the sender
 * @param waitsFor description of the event that the flow waits for
 */
public record IncompleteFlow(
        int source, int destination, long bytes, long sent, long arrived, long acknowledged, String waitsFor) {}
