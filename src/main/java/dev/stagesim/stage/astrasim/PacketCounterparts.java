package dev.stagesim.stage.astrasim;

import dev.stagesim.contract.PacketTables;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.collective.CollectiveSimulation;
import dev.stagesim.sim.collective.RankTrace;
import dev.stagesim.sim.collective.SimulationObserver;
import dev.stagesim.sim.collective.SimulationResult;
import dev.stagesim.sim.collective.SimulationSpec;
import dev.stagesim.sim.network.Dimension;
import dev.stagesim.sim.network.NetworkSpec;
import dev.stagesim.sim.network.NetworkSpec.Contention;
import dev.stagesim.sim.network.Networks;
import dev.stagesim.sim.network.Topology;
import dev.stagesim.sim.network.packet.PacketNetwork;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The same work on analytical networks: all pairs joined directly, and, for one logical dimension, a switch that whole
 * messages pass one after the other.
 *
 * <p>They have the rate of a host's port and the mean latency between hosts.
 */
final class PacketCounterparts {
    private static final double BITS_PER_GIBIBYTE = 8.0 * (1L << 30);

    /** One backend's answer. */
    record Row(String name, long durationNs, double relative) {}

    private final List<Row> rows = new ArrayList<>();
    private final SimulationSpec spec;
    private final List<RankTrace> traces;
    private final long packetNs;

    PacketCounterparts(SimulationSpec spec, List<RankTrace> traces, long packetNs) {
        this.spec = spec;
        this.traces = traces;
        this.packetNs = packetNs;
        rows.add(new Row("packet", packetNs, 0));
    }

    /** Runs them. */
    List<Row> run(PacketNetwork network) {
        double bandwidth = network.hostRate() / BITS_PER_GIBIBYTE;
        double latency = network.meanLatency();
        if (spec.dimensions().stream().allMatch(size -> size > 1)) {
            add(
                    "fully connected, messages never delay each other",
                    Topology.FULLY_CONNECTED,
                    bandwidth,
                    latency,
                    Contention.UNAWARE);
            if (spec.dimensions().size() == 1) {
                add("switch, whole messages share links", Topology.SWITCH, bandwidth, latency / 2, Contention.AWARE);
            }
        }
        return rows;
    }

    private void add(String name, Topology topology, double bandwidth, double latency, Contention contention) {
        List<Dimension> dimensions = spec.dimensions().stream()
                .map(size -> new Dimension(topology, size, bandwidth, latency))
                .toList();
        try {
            SimulationResult result = CollectiveSimulation.run(
                    spec, traces, Networks.of(new NetworkSpec(dimensions, contention)), SimulationObserver.NONE);
            long last = Arrays.stream(result.finishNs()).max().orElse(0);
            if (result.stuck().isEmpty()) {
                rows.add(new Row(name, last, packetNs == 0 ? 0 : (double) last / packetNs - 1));
            }
        } catch (StageException notOnThis) {
            // What the analytical network cannot run has no row.
            return;
        }
    }

    static void write(List<Row> rows, Path out) throws IOException {
        try (TableWriter table = TableWriter.create(out.resolve(PacketTables.BACKENDS.name()), PacketTables.BACKENDS)) {
            for (Row row : rows) {
                table.put(row.name()).put(row.durationNs()).put(row.relative()).endRow();
            }
        }
    }
}
