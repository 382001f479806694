package dev.stagesim.network;

import dev.stagesim.model.Key;
import java.util.Optional;

/** The network between NPUs and its model: the section {@code network}. */
public record NetworkSettings(
        @Key("Network model; null for congestion_aware, or for congestion_unaware, the reference's default, "
                        + "with compat=astra and astra_2023. | null")
                Optional<Backend> backend,
        @Key("Topology of the analytical backends. | { kind = dims }") FabricSettings topology,
        @Key("The network of the packet backend. | { kind = keys }") PacketSettings packet) {
    /** Returns true if the backend simulates packets. */
    public boolean isPacket() {
        return backend.equals(Optional.of(Backend.PACKET));
    }

    /** Models of the network. */
    public enum Backend {
        CONGESTION_UNAWARE, // Latency and bandwidth of each message; messages never delay each other.
        CONGESTION_AWARE, // First-come-first-served queues of messages at every link.
        PACKET // Simulation of packets in hosts and switches, set by network.packet.
    }
}
