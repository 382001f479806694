package dev.stagesim.settings;

import dev.stagesim.model.Key;

/** The network between NPUs and how it is simulated: the section {@code network}. */
public record NetworkSettings(
        @Key(doc = "How messages take time.", def = "congestion_unaware") Backend backend,
        @Key(doc = "What is connected with what, for the analytical backends.", def = "{ kind = dims }")
                FabricSettings topology,
        @Key(doc = "The network of the packet backend.", def = "{ kind = keys }") PacketSettings packet) {
    /** Models of the network. */
    public enum Backend {
        /** A message takes latency and bandwidth; messages never delay each other. */
        CONGESTION_UNAWARE,
        /** Messages queue at every link, whole, first come first served. */
        CONGESTION_AWARE,
        /** Every packet is followed through hosts and switches, in network.packet. */
        PACKET
    }
}
