package dev.stagesim.sim.capacity;

import dev.stagesim.model.trace.CommGroups;
import dev.stagesim.model.trace.EtNode;
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
import dev.stagesim.sim.network.Fabrics;
import dev.stagesim.sim.network.Network;
import dev.stagesim.sim.network.NetworkDimension;
import dev.stagesim.sim.network.NetworkSpec.Contention;
import dev.stagesim.sim.network.Networks;
import dev.stagesim.sim.network.Topology;
import dev.stagesim.sim.trace.generate.TrainingLayout;
import dev.stagesim.sim.trace.generate.TrainingOptions;
import dev.stagesim.sim.trace.generate.TrainingStep;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Simulates a training step message by message: switched links within nodes, a switch between nodes, ring collectives.
 *
 * <p>Messages queue at every link, so rings that span several nodes contend for the links between them. A switch
 * forwards a message before all of it has arrived. All chunks of a collective may be in flight at the same time.
 */
public final class TrainingRun {
    /** Number of chunks of a collective. */
    public static final int SPLITS = 4;

    /** Chunks of a collective in flight in a dimension. */
    public static final int ACTIVE_CHUNKS = SPLITS;

    /** Delay at an accelerator between network and collective, in ns. */
    public static final int ENDPOINT_DELAY_NS = 10;

    private static final double GIBI_PER_GIGA = 1e9 / (1L << 30);
    private static final double BYTES_PER_MICRO_TO_SECOND = 1e6;
    private static final long NS_PER_MICRO = 1000;

    private TrainingRun() {}

    /**
     * The times of a step.
     *
     * @param ns time at which the last accelerator ends
     * @param exposedNs mean time per accelerator in which it does not compute
     */
    public record Step(long ns, double exposedNs) {}

    /** Simulates a step, which {@link TrainingSpec#whyInfeasible} must accept. */
    public static Step of(TrainingSpec spec) {
        TrainingOptions options = spec.options();
        int npus = spec.devices();
        if (npus == 1) {
            long micros = TrainingStep.nodes(options, 0).stream()
                    .mapToLong(EtNode::durationMicros)
                    .sum();
            return new Step(micros * NS_PER_MICRO, 0);
        }
        List<RankTrace> traces = new ArrayList<>();
        for (int npu = 0; npu < npus; npu++) {
            RankTraceBuilder builder = new RankTraceBuilder("step." + npu);
            TrainingStep.nodes(options, npu).forEach(builder::add);
            traces.add(builder.build());
        }
        List<NetworkDimension> dimensions = dimensions(spec);
        SimulationSpec simulation = new SimulationSpec(
                system(spec, dimensions.size()),
                dimensions.stream().map(NetworkDimension::npus).toList(),
                MemorySpec.ABSENT,
                new CommGroups(new TrainingLayout(options).groups()),
                AstraCompat.NONE,
                false);
        SimulationResult result =
                CollectiveSimulation.run(simulation, traces, network(dimensions), SimulationObserver.NONE);
        if (result.stuck().isPresent()) {
            throw new IllegalStateException("the step of " + spec + " got stuck: " + result.stuck());
        }
        return new Step(
                Arrays.stream(result.finishNs()).max().orElseThrow(),
                Arrays.stream(result.exposedNs()).average().orElseThrow());
    }

    private static Network network(List<NetworkDimension> dimensions) {
        return Networks.of(Fabrics.product(dimensions), Contention.SHARED);
    }

    private static List<NetworkDimension> dimensions(TrainingSpec spec) {
        TrainingSpec.Links links = spec.links();
        List<NetworkDimension> dimensions = new ArrayList<>();
        if (spec.inNode() > 1) {
            dimensions.add(dimension(spec.inNode(), links.intraNodeGbs(), links.intraNodeLatencyNs()));
        }
        if (spec.nodes() > 1) {
            dimensions.add(dimension(spec.nodes(), links.interNodeGbs(), links.interNodeLatencyNs()));
        }
        return dimensions;
    }

    private static NetworkDimension dimension(int npus, double gbs, double latency) {
        return new NetworkDimension(Topology.SWITCH, npus, gbs * GIBI_PER_GIGA, latency);
    }

    private static SystemSpec system(TrainingSpec spec, int dimensions) {
        List<Algorithm> rings = java.util.Collections.nCopies(dimensions, Algorithm.RING);
        Map<CollectiveKind, List<Algorithm>> implementations = new EnumMap<>(CollectiveKind.class);
        for (CollectiveKind kind : CollectiveKind.values()) {
            implementations.put(kind, rings);
        }
        return new SystemSpec(
                new SystemSpec.Scheduling(
                        SystemSpec.Policy.LIFO, SPLITS, ACTIVE_CHUNKS, 1, DimensionOrder.ASCENDING, ChunkOrder.FIFO),
                ENDPOINT_DELAY_NS,
                spec.device().bytesPerMicro() * BYTES_PER_MICRO_TO_SECOND,
                Optional.empty(),
                false,
                false,
                Optional.empty(),
                new SystemSpec.Procedures(SystemSpec.Optimization.LOCAL_BW_AWARE, implementations, Map.of(), Map.of()));
    }
}
