package dev.stagesim.sim.network.packet.state;

/** Listener for the events of a packet network, in simulated order. All methods do nothing by default. */
public interface PacketListener {
    /** A listener that ignores all events. */
    PacketListener NONE = new PacketListener() {};

    /**
     * A flow has completed: its last acknowledgement has arrived.
     *
     * @param source rank of the sender
     * @param destination rank of the receiver
     * @param sourcePort number that distinguishes the flows of a pair, from 10000
     * @param bytes of the message
     * @param start send time in ns
     * @param duration until now, in ns
     * @param stated duration in an empty network by the reference's formula, with 48 bytes of headers per frame, in ns
     * @param ideal duration on its path through an empty network, in ns
     */
    default void completed(
            int source,
            int destination,
            int sourcePort,
            long bytes,
            long start,
            long duration,
            long stated,
            long ideal) {}

    /** A pause frame ({@code pause}) or a resume frame reached port number {@code port} of a node. */
    default void paused(long now, int node, boolean atSwitch, int port, boolean pause) {}

    /** A switch dropped a frame that arrived at port number {@code port}, because its buffer was full. */
    default void dropped(long now, int node, int port) {}

    /** A queue sample. {@code bytes} contains the queued bytes of the switch's ports by number, and is reused. */
    default void sampled(long now, int node, int[] bytes) {}

    /** A frame was handled at a traced node. */
    default void traced(TracedFrame frame) {}
}
