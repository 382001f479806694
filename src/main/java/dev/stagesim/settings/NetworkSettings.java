package dev.stagesim.settings;

import dev.stagesim.model.Key;
import java.util.Optional;

/** The network between NPUs and how it is simulated: the section {@code network}. */
public record NetworkSettings(
        @Key("How messages take time; null for congestion_aware, or with compat=astra and astra_2023 for"
                        + " congestion_unaware, the usual one there. | null")
                Optional<Backend> backend,
        @Key("What is connected with what, for the analytical backends. | { kind = dims }") FabricSettings topology,
        @Key("The network of the packet backend. | { kind = keys }") PacketSettings packet) {
    /** Whether every packet is followed. */
    public boolean isPacket() {
        return backend.equals(Optional.of(Backend.PACKET));
    }

    /** Models of the network. */
    public enum Backend {
        CONGESTION_UNAWARE, // A message takes latency and bandwidth; messages never delay each other.
        CONGESTION_AWARE, // Messages queue at every link, first come first served.
        PACKET // Every packet is followed through hosts and switches, in network.packet.
    }
}
