package dev.stagesim.sim.network.packet;

/**
 * A flow that is not complete.
 *
 * @param source rank of the sender
 * @param destination rank of the receiver
 * @param bytes of the message
 * @param sent bytes sent at least once
 * @param arrived bytes that the receiver has in order
 * @param acknowledged bytes that the sender knows to have arrived
 * @param waitsFor in words, what would have to happen
 */
public record IncompleteFlow(
        int source, int destination, long bytes, long sent, long arrived, long acknowledged, String waitsFor) {}
