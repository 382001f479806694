package dev.stagesim.sim.network.packet;

import dev.stagesim.model.Key;
import java.util.LinkedHashMap;
import java.util.Map;

/** How hosts cut messages into frames and recover lost ones: the section {@code network.packet.transport}. */
public record TransportSpec(
        @Key("Bytes of a message in a frame. | 1000 | bytes | 1..60000") @Ns3("PACKET_PAYLOAD_SIZE | 1000") int payload,
        @Key("Bytes of a flow from which on every frame is acknowledged. | 1 | bytes | 1..1000000000000000")
                @Ns3("L2_ACK_INTERVAL | 0 | 0")
                long ackFrom,
        @Key("Before that, frames that end at a multiple of this are; 0 for none. | 4000 | bytes | 0..1000000000000000")
                @Ns3("L2_CHUNK_SIZE | 0")
                long chunk,
        @Key("Whether a lost frame takes the flow back to a multiple of chunk. | false") @Ns3("L2_BACK_TO_ZERO | false")
                boolean backToChunk,
        @Key("Whether a window limits the bytes in flight. | true") @Ns3("HAS_WIN | true") boolean window,
        @Key("Whether all pairs have the window and round trip of the farthest. | true") @Ns3("GLOBAL_T | true")
                boolean largestWindow,
        @Key("Whether the window shrinks with the rate. | true") @Ns3("VAR_WIN | false") boolean scaledWindow,
        @Key("Whether frames follow each other at the flow's rate rather than at the port's. | true")
                @Ns3("RATE_BOUND | true")
                boolean pacedByRate,
        @Key("Whether a pause of data lets acknowledgements through at hosts. | false") @Ns3("ACK_HIGH_PRIO | false")
                boolean acksBeatPause,
        @Key("How often a host stalls for 10 us on incoming data. | 0 | 0..1000000000") @Ns3("NIC_TOTAL_PAUSE_TIME | 0")
                int stalls,
        @Key("Time without progress after which a flow sends again. | 2000 | us | 1..1000000000000000") long retransmit,
        @Key("Timeouts without progress before a flow is aborted. | 7 | 0..1000000000") int retries) {
    /** Most bytes of a message in one frame. */
    public static final int MAX_PAYLOAD = 60_000;

    public TransportSpec {
        if (payload < 1 || payload > MAX_PAYLOAD) {
            throw new IllegalArgumentException("a frame carries 1 to " + MAX_PAYLOAD + " bytes, not " + payload);
        }
    }

    /** Components without effect, and why. */
    public Map<String, String> idle(CongestionSpec congestion, PacketSpec.Compat compat) {
        Map<String, String> idle = new LinkedHashMap<>();
        if (compat == PacketSpec.Compat.NS3) {
            String why = "with compat=ns3: the reference never sends again by itself";
            idle.put("retransmit", why);
            idle.put("retries", why);
        }
        if (ackFrom == 1 && !backToChunk) {
            idle.put("chunk", "with transport.ack_from=1, when every frame is acknowledged, and without back_to_chunk");
        }
        boolean hasConstantRate = congestion.hasConstantRate();
        String steady = "with congestion.kind=none, when rates stay";
        if (hasConstantRate || !window) {
            idle.put("scaledWindow", hasConstantRate ? steady : "with transport.window=false");
        }
        if (hasConstantRate) {
            idle.put("pacedByRate", steady);
        }
        return idle;
    }
}
