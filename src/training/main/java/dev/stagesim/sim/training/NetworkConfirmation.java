package dev.stagesim.sim.training;

import dev.stagesim.model.trace.EtNode;
import dev.stagesim.sim.collective.Algorithm;
import dev.stagesim.sim.collective.CollectiveKind;
import dev.stagesim.sim.collective.CollectiveSimulation;
import dev.stagesim.sim.collective.Compat;
import dev.stagesim.sim.collective.DimensionOrder;
import dev.stagesim.sim.collective.MemorySpec;
import dev.stagesim.sim.collective.QueueOrder;
import dev.stagesim.sim.collective.RankTrace;
import dev.stagesim.sim.collective.RankTraceBuilder;
import dev.stagesim.sim.collective.SimulationObserver;
import dev.stagesim.sim.collective.SimulationResult;
import dev.stagesim.sim.collective.SimulationSpec;
import dev.stagesim.sim.collective.SystemSpec;
import dev.stagesim.sim.network.Dimension;
import dev.stagesim.sim.network.NetworkSpec;
import dev.stagesim.sim.network.Networks;
import dev.stagesim.sim.network.Topology;
import dev.stagesim.sim.training.StrategySearch.Candidate;
import dev.stagesim.sim.training.schedule.PipelineOrder;
import dev.stagesim.traces.CommGroups;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A strategy on an analytical network by the collective simulator: what a stage exchanges, each kind alone on all devices of the stage, in
 * place of its formula; and with them the tensor-parallel groups and the pipeline together.
 *
 * @param npus NPUs simulated together: the group of every stage, or the devices of the stage where there is no such group
 * @param step seconds of a step, with the optimizer and the gradients that nothing hides as estimated
 * @param collectives exchanges of a stage
 */
public record NetworkConfirmation(int npus, double step, StageCollectives collectives) {
    /** Operations of all members of all stages beyond which nothing is simulated. */
    public static final long MOST_OPERATIONS = 400_000;

    /** Operations beyond which the first micro-batches are simulated and the others take as long as the last of them. */
    private static final long WHOLE = 20_000;

    private static final double NANOS = 1e9;
    private static final double GIB = 1L << 30;

    /** Runs it; empty where there is nothing to run. */
    public static Optional<NetworkConfirmation> of(
            Candidate candidate, Architecture model, TrainingMachine machine, TrainingJob job) {
        Strategy s = candidate.strategy();
        StageCollectives collectives = StageCollectives.of(candidate, model, machine, job);
        StepModel steps = new StepModel(model, machine, job, collectives.ratios());
        StepEstimate estimate = steps.estimate(s, candidate.layout());
        Candidate there = new Candidate(s, candidate.layout(), estimate, candidate.memory());
        Confirmation whole = Confirmation.of(there, job.globalBatch());
        int micro = s.microBatches(job.globalBatch());
        long operations = NetworkTraces.operations(whole);
        boolean isWhole = operations <= WHOLE;
        boolean isGroup = NetworkTraces.npus(s) > 1;
        int most = isWhole ? micro : ClosedForm.atMostRun(micro, s.pipeline());
        if (!isGroup || operations / micro * most > MOST_OPERATIONS) {
            return collectives.rows().isEmpty()
                    ? Optional.empty()
                    : Optional.of(new NetworkConfirmation(collectives.devices(), whole.step(), collectives));
        }
        Pipeline pipeline = new Pipeline(there, model, machine, job);
        double end = isWhole ? pipeline.seconds(micro) : ClosedForm.repeated(micro, s.pipeline(), pipeline::seconds);
        double rest = whole.step() - whole.timeline().makespan();
        return Optional.of(new NetworkConfirmation(NetworkTraces.npus(s), end + rest, collectives));
    }

    /** The tensor-parallel groups and the pipeline of a strategy. */
    private record Pipeline(Candidate candidate, Architecture model, TrainingMachine machine, TrainingJob job) {
        /** Until the last of so many micro-batches is done. */
        double seconds(int microBatches) {
            Strategy s = candidate.strategy();
            Confirmation part = Confirmation.of(candidate, microBatches * s.data() * s.microBatch());
            List<RankTrace> traces = new ArrayList<>();
            for (List<EtNode> nodes : NetworkTraces.traces(part, model, machine, job)) {
                RankTraceBuilder builder = new RankTraceBuilder("npu " + traces.size());
                nodes.forEach(builder::add);
                traces.add(builder.build());
            }
            List<Dimension> dimensions = dimensions(s, machine, model, part.order());
            return run(s, traces, dimensions, groups(s), 1, false).endNs() / NANOS;
        }
    }

    /** Runs traces on links that never wait for each other, collectives in so many pieces. */
    static SimulationResult run(
            Strategy s,
            List<RankTrace> traces,
            List<Dimension> dimensions,
            CommGroups groups,
            int pieces,
            boolean symmetry) {
        SimulationSpec spec = new SimulationSpec(
                system(dimensions.size(), pieces),
                dimensions.stream().map(Dimension::npus).toList(),
                MemorySpec.ABSENT,
                groups,
                Compat.NONE,
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

    private static List<Dimension> dimensions(
            Strategy s, TrainingMachine machine, Architecture model, PipelineOrder order) {
        List<Dimension> dimensions = new ArrayList<>();
        if (s.tensor() > 1) {
            // One collective of the traces stands for two of every layer, each of which has the latency; with sequence
            // parallelism backward has half as many more.
            double merged = (s.isSequence() ? 2.5 : 2) * model.layers() / order.stages();
            dimensions.add(new Dimension(
                    Topology.RING,
                    s.tensor(),
                    machine.ring(s.tensor(), 1) / GIB,
                    NANOS * machine.hop(s.tensor(), 1) * merged));
        }
        if (s.pipeline() > 1) {
            int stride = s.tensor() * s.context() * s.data();
            dimensions.add(new Dimension(
                    Topology.SWITCH,
                    s.pipeline(),
                    machine.message(stride, s.pipeline()) / GIB,
                    NANOS / 2 * machine.hop(2, stride)));
        }
        return dimensions;
    }

    /** Rings, and exchanges straight to each member one by one, of collectives in so many pieces. */
    private static SystemSpec system(int dimensions, int pieces) {
        Map<CollectiveKind, List<Algorithm>> implementations = new EnumMap<>(CollectiveKind.class);
        for (CollectiveKind kind : CollectiveKind.values()) {
            Algorithm its = kind == CollectiveKind.ALL_TO_ALL
                    ? Algorithm.parse("direct1").orElseThrow()
                    : Algorithm.RING;
            implementations.put(kind, Collections.nCopies(dimensions, its));
        }
        return new SystemSpec(
                SystemSpec.Policy.FIFO,
                SystemSpec.Optimization.BASELINE,
                pieces,
                1,
                1,
                0,
                0,
                Optional.empty(),
                false,
                false,
                Optional.empty(),
                implementations,
                Map.of(),
                Map.of(),
                DimensionOrder.ASCENDING,
                QueueOrder.FIFO);
    }

    /** The tensor-parallel group of each stage, from 1. */
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
