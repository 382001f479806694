package dev.stagesim.sim.network.packet.state;

import dev.stagesim.sim.network.packet.topology.PacketTopology;
import java.util.List;
import java.util.Optional;

/**
 * A packet network and its recordings.
 *
 * @param topology hosts, switches and cables
 * @param transport frames and loss recovery
 * @param congestion rate control of the senders
 * @param switches buffers and ECN marks
 * @param lossRate probability that a frame is lost on a cable without an individual rate
 * @param linkDown a cable that fails
 * @param monitor times of queue samples
 * @param traced nodes with frame traces
 * @param paths selection among equal-cost paths
 * @param compat reproduced behaviour
 */
public record PacketSpec(
        PacketTopology topology,
        TransportSpec transport,
        CongestionControl congestion,
        SwitchSpec switches,
        double lossRate,
        Optional<LinkDown> linkDown,
        Optional<Monitor> monitor,
        List<Integer> traced,
        PathSpec paths,
        Compat compat) {
    /** Reproduced behaviour. */
    public enum Compat {
        /** Own behaviour: lost frames are retransmitted, messages are matched individually, time stamps work. */
        NONE,
        /** The behaviour of ASTRA-sim's ns-3 network, defects included. */
        NS3
    }

    /**
     * A failure of the cables between two nodes.
     *
     * @param atNs time of the failure
     */
    public record LinkDown(long atNs, int a, int b) {}

    /**
     * Sampling of the switches' queues.
     *
     * @param startNs first sample
     * @param endNs no sample after it
     * @param periodNs time between samples, above 0
     */
    public record Monitor(long startNs, long endNs, long periodNs) {}

    public PacketSpec {
        traced = List.copyOf(traced);
    }

    public boolean asReference() {
        return compat == Compat.NS3;
    }
}
