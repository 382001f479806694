package dev.stagesim.sim.network.packet.state;

/** Sizes of frames on the wire, in bytes. */
public final class FrameSizes {
    /** Size of a pause or resume frame. */
    public static final int PAUSE = 31;

    private static final int DATA_HEADERS = 36;
    private static final int ACK_HEADERS = 22;
    private static final int ACK_FIELDS = 12;
    private static final int MIN_ACK_BODY = 60 - 34;

    /** Headers of a data frame: 2 link, 20 IP, 8 UDP, 6 sequence and priority, and telemetry. */
    public final int dataHeaders;

    /** Size of an acknowledgement. */
    public final int ack;

    FrameSizes(CongestionControl congestion) {
        int telemetry = congestion.telemetryBytes();
        dataHeaders = DATA_HEADERS + telemetry;
        ack = ACK_HEADERS + Math.max(MIN_ACK_BODY, ACK_FIELDS + telemetry);
    }
}
