package dev.stagesim.jmh;

import dev.stagesim.model.trace.CommGroups;
import dev.stagesim.model.trace.EtAttribute;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.model.trace.NodeType;
import dev.stagesim.sim.collective.CollectiveSimulation;
import dev.stagesim.sim.collective.procedure.Algorithm;
import dev.stagesim.sim.collective.procedure.CollectiveKind;
import dev.stagesim.sim.collective.result.SimulationObserver;
import dev.stagesim.sim.collective.result.SimulationResult;
import dev.stagesim.sim.collective.spec.AstraCompat;
import dev.stagesim.sim.collective.spec.ChunkOrder;
import dev.stagesim.sim.collective.spec.DimensionOrder;
import dev.stagesim.sim.collective.spec.MemorySpec;
import dev.stagesim.sim.collective.spec.SimulationSpec;
import dev.stagesim.sim.collective.spec.SystemSpec;
import dev.stagesim.sim.collective.trace.RankTrace;
import dev.stagesim.sim.collective.trace.RankTraceBuilder;
import dev.stagesim.sim.network.NetworkDimension;
import dev.stagesim.sim.network.NetworkSpec;
import dev.stagesim.sim.network.Networks;
import dev.stagesim.sim.network.Topology;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Time of one all-reduce of 16 MiB on a product of a ring of 8, a ring and a switch, by number of NPUs, chunks and
 * consecutive collectives, with and without symmetry. Run with {@code -prof gc} to see bytes per run.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
@State(Scope.Benchmark)
public class CollectiveBenchmark {
    private static final int INNER = 8;
    private static final long BYTES = 16 << 20;

    /** NPUs along each of the two outer dimensions. */
    @Param({"4", "8", "16", "32"})
    public int side = 8;

    @Param({"1", "4", "16"})
    public int chunks = 4;

    @Param({"1", "8"})
    public int nodes = 1;

    private NetworkSpec network = network(8);
    private RankTrace trace = trace(1);
    private SimulationSpec full = spec(4, network, false);
    private SimulationSpec folded = spec(4, network, true);

    @Setup
    public void make() {
        network = network(side);
        trace = trace(nodes);
        full = spec(chunks, network, false);
        folded = spec(chunks, network, true);
    }

    @Benchmark
    public SimulationResult everyNpu() {
        return run(full);
    }

    @Benchmark
    public SimulationResult symmetric() {
        return run(folded);
    }

    private SimulationResult run(SimulationSpec spec) {
        return CollectiveSimulation.run(
                spec, Collections.nCopies(spec.npus(), trace), Networks.of(network), SimulationObserver.NONE);
    }

    private static NetworkSpec network(int side) {
        return new NetworkSpec(
                List.of(
                        new NetworkDimension(Topology.RING, INNER, 300, 50),
                        new NetworkDimension(Topology.RING, side, 100, 500),
                        new NetworkDimension(Topology.SWITCH, side, 50, 1000)),
                NetworkSpec.Contention.UNAWARE);
    }

    private static RankTrace trace(int nodes) {
        RankTraceBuilder builder = new RankTraceBuilder("benchmark");
        for (int id = 0; id < nodes; id++) {
            EtNode node = EtNode.of(
                    id,
                    "all-reduce",
                    NodeType.of(7),
                    EtAttribute.ofLong("comm_type", 0),
                    EtAttribute.ofLong("comm_size", BYTES));
            builder.add(id == 0 ? node : node.withDataDeps(id - 1));
        }
        return builder.build();
    }

    private static SimulationSpec spec(int chunks, NetworkSpec network, boolean symmetry) {
        Map<CollectiveKind, List<Algorithm>> algorithms = new EnumMap<>(CollectiveKind.class);
        algorithms.put(
                CollectiveKind.ALL_REDUCE,
                List.of(
                        Algorithm.RING,
                        Algorithm.RING,
                        Algorithm.parse("halvingDoubling").orElseThrow()));
        SystemSpec system = new SystemSpec(
                new SystemSpec.Scheduling(
                        SystemSpec.Policy.LIFO, chunks, 1, 1, DimensionOrder.ASCENDING, ChunkOrder.FIFO),
                10,
                50e9,
                Optional.empty(),
                false,
                false,
                Optional.empty(),
                new SystemSpec.Procedures(SystemSpec.Optimization.LOCAL_BW_AWARE, algorithms, Map.of(), Map.of()));
        List<Integer> sizes =
                network.dimensions().stream().map(NetworkDimension::npus).toList();
        return new SimulationSpec(system, sizes, MemorySpec.ABSENT, CommGroups.NONE, AstraCompat.NONE, symmetry);
    }
}
