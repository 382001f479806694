package dev.stagesim.sim.network.packet.state;

/**
 * A frame at a node, as recorded in packet traces.
 *
 * @param event event of the frame
 * @param now time in ns
 * @param kind kind of frame
 * @param size bytes on the wire
 * @param marked whether a queue marked it
 * @param sequence first byte of data, next expected byte, or announced pause time in us
 * @param sentAt time stamp of a data frame, 0 if absent
 * @param payload bytes of data, or queued bytes at the sender of a pause frame
 * @param echoed whether an acknowledgement carries a mark
 */
public record TracedFrame(
        Event event,
        long now,
        Place place,
        Kind kind,
        Ends ends,
        int size,
        boolean marked,
        long sequence,
        long sentAt,
        int payload,
        boolean echoed) {
    /** Event of a frame at a node. */
    public enum Event {
        RECEIVED,
        ENQUEUED,
        DEQUEUED,
        DROPPED
    }

    /** Kind of a frame. */
    public enum Kind {
        DATA,
        ACK,
        NACK,
        PAUSE
    }

    /**
     * The queue that the frame passes.
     *
     * @param node number of the node
     * @param atSwitch whether the node is a switch
     * @param port number of the port on the node
     * @param queue class of service
     * @param queueBytes bytes in that queue, without the frame
     */
    public record Place(int node, boolean atSwitch, int port, int queue, int queueBytes) {}

    /** Addresses of the source and destination node, and the ports of the flow. */
    public record Ends(int source, int destination, int sourcePort, int destinationPort) {}
}
