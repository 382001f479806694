package dev.stagesim.sim.network.packet;

/**
 * A frame at a node, as packet traces record it.
 *
 * @param event what became of it
 * @param now in ns
 * @param node where
 * @param atSwitch whether that is a switch
 * @param port number of the port on the node
 * @param queue class of service
 * @param queueBytes bytes in that queue, without the frame
 * @param kind what the frame is
 * @param source address of the node that made it
 * @param destination address of the node it goes to
 * @param size bytes on the wire
 * @param marked whether a queue marked it
 * @param sourcePort of its flow
 * @param destinationPort of its flow
 * @param sequence first byte of data, the byte expected next, or the time that a pause frame announces in us
 * @param sentAt time stamp of a data frame, 0 when it has none
 * @param payload bytes of data, or those that waited where a pause frame was made
 * @param echoed whether an acknowledgement carries a mark
 */
public record TracedFrame(
        Event event,
        long now,
        int node,
        boolean atSwitch,
        int port,
        int queue,
        int queueBytes,
        Kind kind,
        int source,
        int destination,
        int size,
        boolean marked,
        int sourcePort,
        int destinationPort,
        long sequence,
        long sentAt,
        int payload,
        boolean echoed) {
    /** What becomes of a frame at a node. */
    public enum Event {
        RECEIVED,
        ENQUEUED,
        DEQUEUED,
        DROPPED
    }

    /** What a frame is for. */
    public enum Kind {
        DATA,
        ACK,
        NACK,
        PAUSE
    }
}
