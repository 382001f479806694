package dev.stagesim.io.packet;

import dev.stagesim.sim.network.packet.congestion.CongestionSpec;
import dev.stagesim.sim.network.packet.state.PacketSpec;
import dev.stagesim.sim.network.packet.state.PathSpec;
import dev.stagesim.sim.network.packet.state.SwitchSpec;
import dev.stagesim.sim.network.packet.state.TransportSpec;
import dev.stagesim.sim.network.packet.topology.PacketTopology;
import java.util.List;
import java.util.Optional;

/**
 * Content of a configuration file, without the topology.
 *
 * @param transport frames and loss recovery
 * @param congestion rate control of the senders
 * @param switches buffers and ECN marks
 * @param lossRate probability that a frame is lost on a link without an individual rate
 * @param linkDown a link that fails
 * @param monitor times of queue samples
 * @param topologyFile name of the topology file, as written
 * @param traceFile name of the file with traced nodes, if tracing is on
 * @param outputs names of the output files
 * @param compat reproduced behaviour
 * @param warnings keys without effect, one sentence each
 */
public record PacketConfig(
        TransportSpec transport,
        CongestionSpec congestion,
        SwitchSpec switches,
        double lossRate,
        Optional<PacketSpec.LinkDown> linkDown,
        Optional<PacketSpec.Monitor> monitor,
        String topologyFile,
        Optional<String> traceFile,
        OutputNames outputs,
        PacketSpec.Compat compat,
        List<String> warnings) {
    public PacketConfig {
        warnings = List.copyOf(warnings);
    }

    /** The network on a topology, with traces of some nodes. */
    public PacketSpec on(PacketTopology topology, List<Integer> traced) {
        return new PacketSpec(
                topology,
                transport,
                congestion,
                switches,
                lossRate,
                linkDown,
                monitor,
                traced,
                PathSpec.BY_FLOW,
                compat);
    }
}
