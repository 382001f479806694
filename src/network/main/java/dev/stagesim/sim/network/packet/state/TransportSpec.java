package dev.stagesim.sim.network.packet.state;

import dev.stagesim.model.Key;
import java.util.LinkedHashMap;
import java.util.Map;

/** Segmentation into frames and loss recovery: the section {@code network.packet.transport}. */
public record TransportSpec(
        @Key("Payload of a frame. | 1000 | bytes | 1..60000") @Ns3("PACKET_PAYLOAD_SIZE | 1000") int payload,
        @Key("Position in a flow after which every frame is acknowledged. | 1 | bytes | 1..1000000000000000")
                @Ns3("L2_ACK_INTERVAL | 0 | 0")
                long ackFrom,
        @Key(
                        "Before ack_from, only frames that end at a multiple of this are acknowledged; 0 acknowledges none. | 4000 | bytes | 0..1000000000000000")
                @Ns3("L2_CHUNK_SIZE | 0")
                long chunk,
        @Key("Whether a loss resets the flow to a multiple of chunk. | false") @Ns3("L2_BACK_TO_ZERO | false")
                boolean backToChunk,
        @Key("Whether a window limits the bytes in flight. | true") @Ns3("HAS_WIN | true") boolean window,
        @Key("Whether all pairs use the window and RTT of the farthest pair. | true") @Ns3("GLOBAL_T | true")
                boolean largestWindow,
        @Key("Whether the window scales with the rate. | true") @Ns3("VAR_WIN | false") boolean scaledWindow,
        @Key("Whether frames are paced at the flow's rate instead of the port's rate. | true") @Ns3("RATE_BOUND | true")
                boolean pacedByRate,
        @Key("Whether hosts send acknowledgements while data is paused. | false") @Ns3("ACK_HIGH_PRIO | false")
                boolean acksBeatPause,
        @Key("Number of 10 us stalls of each host on incoming data. | 0 | 0..1000000000")
                @Ns3("NIC_TOTAL_PAUSE_TIME | 0")
                int stalls,
        @Key("Retransmission timeout without progress. | 2000 | us | 1..1000000000000000") long retransmit,
        @Key("Timeouts without progress before a flow is aborted. | 7 | 0..1000000000") int retries) {
    /** Maximum payload of a frame in bytes. */
    static final int MAX_PAYLOAD = 60_000;

    public TransportSpec {
        if (payload < 1 || payload > MAX_PAYLOAD) {
            throw new IllegalArgumentException("a frame carries 1 to " + MAX_PAYLOAD + " bytes, not " + payload);
        }
    }

    /** Returns the components without effect, with the reason. */
    public Map<String, String> idle(CongestionControl congestion, PacketSpec.Compat compat) {
        Map<String, String> idle = new LinkedHashMap<>();
        if (compat == PacketSpec.Compat.NS3) {
            String why = "with compat=ns3: the reference has no retransmission timer";
            idle.put("retransmit", why);
            idle.put("retries", why);
        }
        if (ackFrom == 1 && !backToChunk) {
            idle.put(
                    "chunk",
                    "with transport.ack_from=1, because every frame is acknowledged, and without back_to_chunk");
        }
        boolean hasConstantRate = congestion.hasConstantRate();
        String constantRates = "with congestion.kind=none, because rates stay constant";
        if (hasConstantRate || !window) {
            idle.put("scaledWindow", hasConstantRate ? constantRates : "with transport.window=false");
        }
        if (hasConstantRate) {
            idle.put("pacedByRate", constantRates);
        }
        return idle;
    }
}
