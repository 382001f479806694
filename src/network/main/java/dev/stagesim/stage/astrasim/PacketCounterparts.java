package dev.stagesim.stage.astrasim;

import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.io.packet.PacketTables;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.collective.CollectiveSimulation;
import dev.stagesim.sim.collective.result.SimulationObserver;
import dev.stagesim.sim.collective.result.SimulationResult;
import dev.stagesim.sim.collective.spec.SimulationSpec;
import dev.stagesim.sim.collective.trace.RankTrace;
import dev.stagesim.sim.network.NetworkDimension;
import dev.stagesim.sim.network.NetworkSpec;
import dev.stagesim.sim.network.NetworkSpec.Contention;
import dev.stagesim.sim.network.Networks;
import dev.stagesim.sim.network.Topology;
import dev.stagesim.sim.network.packet.PacketNetwork;
import dev.stagesim.sim.network.packet.topology.PairMeans;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Repeats the work of a packet run on analytical networks: all pairs fully connected and, with one logical dimension, a
 * store-and-forward switch.
 *
 * <p>A dimension has the harmonic mean rate of the slowest cable between its pairs of NPUs, and their mean latency. If
 * hosts have several cards towards each other, a third network combines all cards.
 */
final class PacketCounterparts {
    private static final double BITS_PER_GIBIBYTE = 8.0 * (1L << 30);

    /** Result of one backend. */
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

    /** Only the packet network's row, for a stopped run; the analytical networks would run to the end. */
    List<Row> packetOnly() {
        return rows;
    }

    List<Row> run(PacketNetwork network) {
        if (spec.dimensions().stream().anyMatch(size -> size < 2)) {
            return rows;
        }
        List<PairMeans> means = new ArrayList<>();
        int stride = 1;
        for (int size : spec.dimensions()) {
            means.add(network.pairMeans(stride, size));
            stride *= size;
        }
        List<Double> rates = means.stream().map(PairMeans::rate).toList();
        List<Double> latencies = means.stream().map(PairMeans::latency).toList();
        add(
                "fully connected, messages never delay each other",
                Topology.FULLY_CONNECTED,
                rates,
                latencies,
                Contention.UNAWARE);
        if (means.stream().anyMatch(mean -> mean.cards() > 1)) {
            add(
                    "as above, each message on all cards of its host",
                    Topology.FULLY_CONNECTED,
                    means.stream().map(mean -> mean.rate() * mean.cards()).toList(),
                    latencies,
                    Contention.UNAWARE);
        }
        if (spec.dimensions().size() == 1) {
            add(
                    "switch, whole messages share links",
                    Topology.SWITCH,
                    rates,
                    latencies.stream().map(latency -> latency / 2).toList(),
                    Contention.AWARE);
        }
        return rows;
    }

    private void add(
            String name, Topology topology, List<Double> rates, List<Double> latencies, Contention contention) {
        List<NetworkDimension> dimensions = new ArrayList<>();
        for (int i = 0; i < rates.size(); i++) {
            dimensions.add(new NetworkDimension(
                    topology, spec.dimensions().get(i), rates.get(i) / BITS_PER_GIBIBYTE, latencies.get(i)));
        }
        try {
            SimulationResult result = CollectiveSimulation.run(
                    spec, traces, Networks.of(new NetworkSpec(dimensions, contention)), SimulationObserver.NONE);
            long last = Arrays.stream(result.finishNs()).max().orElse(0);
            if (result.stuck().isEmpty()) {
                rows.add(new Row(name, last, packetNs == 0 ? 0 : (double) last / packetNs - 1));
            }
        } catch (StageException notOnThis) {
            // An analytical network that cannot run the work has no row.
            return;
        }
    }

    static void write(List<Row> rows, Path out) throws IOException {
        TableWriter.write(out, PacketTables.BACKENDS, rows, (table, row) -> table.put(row.name())
                .put(row.durationNs())
                .put(row.relative()));
    }
}
