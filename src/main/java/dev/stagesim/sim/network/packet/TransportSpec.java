package dev.stagesim.sim.network.packet;

/**
 * How hosts cut messages into frames and recover lost ones.
 *
 * @param payload bytes of a message in one frame, at least 1
 * @param ackFrom bytes of a flow from which on every frame is acknowledged, at least 1
 * @param chunk before that, frames that end at a multiple of it are; 0 for none
 * @param backToChunk whether a lost frame takes the flow back to a multiple of {@code chunk}
 * @param window whether a window limits the bytes in flight
 * @param largestWindow whether all pairs have the window and round trip of the farthest
 * @param scaledWindow whether the window shrinks with the rate
 * @param pacedByRate whether frames follow each other at the flow's rate rather than at the port's
 * @param acksBeatPause whether a pause of data lets acknowledgements through
 * @param stalls how often a host stalls for 10 us on incoming data; 0 for never
 * @param retransmitNs time without progress after which a flow sends again; 0 for never
 * @param retries expiries without progress after which a flow gives up
 */
public record TransportSpec(
        int payload,
        long ackFrom,
        long chunk,
        boolean backToChunk,
        boolean window,
        boolean largestWindow,
        boolean scaledWindow,
        boolean pacedByRate,
        boolean acksBeatPause,
        int stalls,
        long retransmitNs,
        int retries) {
    /** Most bytes of a message in one frame. */
    public static final int LARGEST_PAYLOAD = 60_000;

    public TransportSpec {
        if (payload < 1 || payload > LARGEST_PAYLOAD) {
            throw new IllegalArgumentException("a frame carries 1 to " + LARGEST_PAYLOAD + " bytes, not " + payload);
        }
        if (ackFrom < 1) {
            throw new IllegalArgumentException("acknowledgements start at 1 byte or later, not " + ackFrom);
        }
    }
}
