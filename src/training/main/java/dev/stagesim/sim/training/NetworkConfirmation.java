package dev.stagesim.sim.training;

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
import dev.stagesim.sim.network.NetworkDimension;
import dev.stagesim.sim.network.NetworkSpec;
import dev.stagesim.sim.network.Networks;
import dev.stagesim.sim.network.Topology;
import dev.stagesim.sim.training.StrategySearch.Candidate;
import dev.stagesim.sim.training.schedule.PipelineOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Step time of a strategy with communication simulated on an analytical network.
 *
 * <p>Each kind of collective is simulated separately on all devices of a stage. The tensor-parallel groups are then simulated together
 * with the pipeline. The times of the optimizer and of exposed gradients are closed-form estimates.
 *
 * @param npus simulated NPUs: one tensor-parallel group per stage, or the devices of one stage if there are no such groups
 * @param step seconds per step
 * @param collectives collectives of a stage
 */
public record NetworkConfirmation(int npus, double step, StageCollectives collectives) {
    /** Maximum number of operations of all ranks; larger pipelines are not simulated. */
    public static final long MAX_OPERATIONS = 400_000;

    /** Maximum number of operations for a complete simulation. Above it, the first micro-batches are simulated and extrapolated. */
    private static final long MAX_COMPLETE = 20_000;

    private static final double NANOS = 1e9;
    private static final double GIB = 1L << 30;

    /** Simulates a candidate. Returns empty if it has no communication to simulate. */
    public static Optional<NetworkConfirmation> of(
            Candidate candidate, Architecture model, TrainingMachine machine, TrainingJob job) {
        Strategy s = candidate.strategy();
        StageCollectives collectives = StageCollectives.of(candidate, model, machine, job);
        StepEstimator steps = new StepEstimator(model, machine, job, collectives.ratios());
        StepEstimate estimate = steps.estimate(s, candidate.layout());
        Candidate there = new Candidate(s, candidate.layout(), estimate, candidate.memory());
        SimulatedPipeline whole = SimulatedPipeline.of(there, job.globalBatch());
        int micro = s.microBatches(job.globalBatch());
        long operations = NetworkTraces.operations(whole);
        boolean isWhole = operations <= MAX_COMPLETE;
        boolean isGroup = NetworkTraces.npus(s) > 1;
        int simulated = isWhole ? micro : ClosedForm.maxSimulated(micro, s.pipeline());
        if (!isGroup || operations / micro * simulated > MAX_OPERATIONS) {
            return collectives.rows().isEmpty()
                    ? Optional.empty()
                    : Optional.of(new NetworkConfirmation(collectives.devices(), whole.step(), collectives));
        }
        Pipeline pipeline = new Pipeline(there, model, machine, job);
        double end = isWhole ? pipeline.seconds(micro) : ClosedForm.extrapolate(micro, s.pipeline(), pipeline::seconds);
        double rest = whole.step() - whole.timeline().makespan();
        return Optional.of(new NetworkConfirmation(NetworkTraces.npus(s), end + rest, collectives));
    }

    /** The tensor-parallel groups and the pipeline of a strategy. */
    private record Pipeline(Candidate candidate, Architecture model, TrainingMachine machine, TrainingJob job) {
        /** Returns the seconds until the last of {@code microBatches} micro-batches ends. */
        double seconds(int microBatches) {
            Strategy s = candidate.strategy();
            SimulatedPipeline part = SimulatedPipeline.of(candidate, microBatches * s.data() * s.microBatch());
            List<RankTrace> traces = new ArrayList<>();
            for (List<EtNode> nodes : NetworkTraces.traces(part, model, machine, job)) {
                RankTraceBuilder builder = new RankTraceBuilder("npu " + traces.size());
                nodes.forEach(builder::add);
                traces.add(builder.build());
            }
            List<NetworkDimension> dimensions = dimensions(s, machine, model, part.order());
            return run(s, traces, dimensions, groups(s), 1, false).endNs() / NANOS;
        }
    }

    /** Simulates traces on links without contention. Collectives are split into {@code pieces} chunks. */
    static SimulationResult run(
            Strategy s,
            List<RankTrace> traces,
            List<NetworkDimension> dimensions,
            CommGroups groups,
            int pieces,
            boolean symmetry) {
        SimulationSpec spec = new SimulationSpec(
                system(dimensions.size(), pieces),
                dimensions.stream().map(NetworkDimension::npus).toList(),
                MemorySpec.ABSENT,
                groups,
                AstraCompat.NONE,
                symmetry,
                1);
        SimulationResult result = CollectiveSimulation.run(
                spec,
                traces,
                Networks.of(new NetworkSpec(dimensions, NetworkSpec.Contention.UNAWARE, true)),
                SimulationObserver.NONE);
        if (result.stuck().isPresent()) {
            throw new IllegalStateException(
                    "the traces of " + s + " get stuck: " + result.stuck().get());
        }
        return result;
    }

    private static List<NetworkDimension> dimensions(
            Strategy s, TrainingMachine machine, Architecture model, PipelineOrder order) {
        List<NetworkDimension> dimensions = new ArrayList<>();
        if (s.tensor() > 1) {
            // One collective of the traces replaces two per layer, each with its own latency. Sequence
            // parallelism adds another one per layer in the backward pass.
            double merged = (s.isSequence() ? 2.5 : 2) * model.layers() / order.stages();
            dimensions.add(new NetworkDimension(
                    Topology.RING,
                    s.tensor(),
                    machine.ring(s.tensor(), 1) / GIB,
                    NANOS * machine.hop(s.tensor(), 1) * merged));
        }
        if (s.pipeline() > 1) {
            int stride = s.tensor() * s.context() * s.data();
            dimensions.add(new NetworkDimension(
                    Topology.SWITCH,
                    s.pipeline(),
                    machine.message(stride, s.pipeline()) / GIB,
                    NANOS / 2 * machine.hop(2, stride)));
        }
        return dimensions;
    }

    /** Returns a system that uses rings, and direct all-to-alls with one message at a time. */
    private static SystemSpec system(int dimensions, int pieces) {
        Map<CollectiveKind, List<Algorithm>> implementations = new EnumMap<>(CollectiveKind.class);
        for (CollectiveKind kind : CollectiveKind.values()) {
            Algorithm algorithm = kind == CollectiveKind.ALL_TO_ALL
                    ? Algorithm.parse("direct1").orElseThrow()
                    : Algorithm.RING;
            implementations.put(kind, Collections.nCopies(dimensions, algorithm));
        }
        return new SystemSpec(
                new SystemSpec.Scheduling(
                        SystemSpec.Policy.FIFO, pieces, 1, 1, DimensionOrder.ASCENDING, ChunkOrder.FIFO),
                0,
                0,
                Optional.empty(),
                false,
                false,
                Optional.empty(),
                new SystemSpec.Procedures(SystemSpec.Optimization.BASELINE, implementations, Map.of(), Map.of()));
    }

    /** Returns the tensor-parallel group of each stage. Group numbers start at 1. */
    public static CommGroups groups(Strategy s) {
        Map<Integer, List<Integer>> groups = new TreeMap<>();
        for (int rank = 0; rank < s.pipeline(); rank++) {
            List<Integer> members = new ArrayList<>();
            for (int member = 0; member < s.tensor(); member++) {
                members.add(rank * s.tensor() + member);
            }
            groups.put(rank + 1, members);
        }
        return new CommGroups(groups);
    }
}
