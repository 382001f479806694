package dev.stagesim.sim.training;

import dev.stagesim.model.trace.CollectiveType;
import dev.stagesim.model.trace.CommGroups;
import dev.stagesim.model.trace.EtAttribute;
import dev.stagesim.model.trace.EtNames;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.model.trace.NodeType;
import dev.stagesim.sim.collective.trace.RankTrace;
import dev.stagesim.sim.collective.trace.RankTraceBuilder;
import dev.stagesim.sim.network.NetworkDimension;
import dev.stagesim.sim.network.Topology;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeSet;

/**
 * Times of the collectives of a pipeline stage without overlap, in closed form and simulated on all devices of the stage.
 *
 * <p>Dimensions of the simulated network end at the strides of the tensor, context, expert and data parallel groups and at the boundary of
 * the fast links. A collective runs hierarchically, dimension by dimension, so slow links transfer less data.
 */
public final class StageCollectives {
    private static final double GIB = 1L << 30;
    private static final double NANOS = 1e9;
    /** Chunks of a collective, which fast and slow links transfer concurrently. */
    private static final int CHUNKS = 8;

    private final Architecture model;
    private final TrainingMachine machine;
    private final TrainingJob job;
    private final Strategy s;
    private final Layout layout;
    private final List<Integer> bounds;
    private final int edge;
    private final List<Row> rows = new ArrayList<>();
    private final List<Step> all = new ArrayList<>();

    /**
     * A collective of the step.
     *
     * @param kind parallelism that requires the collective
     * @param part description for reports
     * @param members devices per group
     * @param stride distance in ranks between two members
     * @param bytes bytes per device before a scatter or all-to-all, or after a gather
     * @param times number of collectives per step
     * @param formula closed-form seconds per collective
     * @param network simulated seconds per collective
     */
    public record Row(
            Kind kind,
            String part,
            int members,
            int stride,
            double bytes,
            double times,
            double formula,
            double network) {}

    /** Parallelism that requires a collective. */
    enum Kind {
        TENSOR,
        CONTEXT,
        EXPERT,
        DATA,
        EXPERT_DATA
    }

    /** A collective over the dimensions between the strides {@code from} and {@code to}. */
    private record Step(CollectiveType type, int from, int to, double bytes) {
        boolean exchangesOver(int stride) {
            return type == CollectiveType.ALL_TO_ALL && from <= stride && stride < to;
        }
    }

    private StageCollectives(
            StrategySearch.Candidate candidate, Architecture model, TrainingMachine machine, TrainingJob job) {
        s = candidate.strategy();
        layout = candidate.layout();
        this.model = model;
        this.machine = machine;
        this.job = job;
        bounds = bounds();
        edge = bounds.stream().filter(bound -> bound <= machine.domain()).reduce(1, Math::max);
    }

    /** Simulates the collectives of a candidate's stage. The result is empty if the groups are not nested, because such groups cannot be mapped to network dimensions. */
    static StageCollectives of(
            StrategySearch.Candidate candidate, Architecture model, TrainingMachine machine, TrainingJob job) {
        StageCollectives stage = new StageCollectives(candidate, model, machine, job);
        if (!stage.bounds.isEmpty()) {
            stage.layers();
            stage.replicas();
        }
        return stage;
    }

    public List<Row> rows() {
        return rows;
    }

    /** Returns the ratios of simulated to closed-form times, by kind of exchange. */
    LinkRatios ratios() {
        return new LinkRatios(ratio(Kind.CONTEXT), ratio(Kind.EXPERT), ratio(Kind.DATA), ratio(Kind.EXPERT_DATA));
    }

    private double ratio(Kind kind) {
        double formula = 0;
        double network = 0;
        for (Row row : rows) {
            formula += row.kind == kind ? row.times * row.formula : 0;
            network += row.kind == kind ? row.times * row.network : 0;
        }
        return formula == 0 ? 1 : network / formula;
    }

    /** Returns the number of simulated devices. */
    int devices() {
        return bounds.isEmpty() ? 0 : bounds.get(bounds.size() - 1);
    }

    /** Returns the devices along each dimension, fastest varying first. */
    public List<Integer> dimensions() {
        return dimensions(bounds, List.of()).stream()
                .map(NetworkDimension::npus)
                .toList();
    }

    /** Returns a trace with one collective of each kind in sequence; it is equal for all devices of the stage. */
    public List<EtNode> trace() {
        return nodes(all, bounds);
    }

    /** Returns the strides at which groups or the fast links end, ascending from 1, or an empty list if one does not divide the next. */
    private List<Integer> bounds() {
        int all = s.tensor() * s.replicas();
        TreeSet<Integer> strides = new TreeSet<>(List.of(1, s.tensor(), s.tensor() * s.context(), all));
        if (s.zero() > 0) {
            strides.add(s.tensor() * Math.min(s.shardGroup(), s.replicas()));
        }
        if (model.isMixture()) {
            strides.add(s.expertTensor());
            strides.add(s.expertTensor() * s.expert());
            strides.add(s.expertTensor() * s.expert() * (s.zero() == 0 ? 1 : s.expertShards()));
        }
        int below = strides.floor(Math.max(1, machine.domain()));
        Integer above = strides.higher(below);
        if (above != null) {
            int times = machine.domain() / below;
            while (above / below % times != 0) {
                times--;
            }
            strides.add(below * times);
        }
        List<Integer> chain = List.copyOf(strides);
        for (int i = 1; i < chain.size(); i++) {
            if (chain.get(i) % chain.get(i - 1) != 0) {
                return List.of();
            }
        }
        return all == 1 || (all > machine.domain() && !(machine.network() > 0)) ? List.of() : chain;
    }

    /**
     * Returns the dimensions between the strides. A message crosses two links of a switch, so each link has half of the latency. Messages of
     * an all-to-all share the adapter and are sent in sequence, but their latencies overlap.
     */
    private List<NetworkDimension> dimensions(List<Integer> strides, List<Step> steps) {
        List<NetworkDimension> dimensions = new ArrayList<>();
        for (int i = 1; i < strides.size(); i++) {
            int stride = strides.get(i - 1);
            int size = strides.get(i) / stride;
            double bandwidth = strides.get(i) <= machine.domain()
                    ? machine.link() * TrainingMachine.LINK_SHARE
                    : machine.network() * TrainingMachine.NETWORK_SHARE;
            boolean isExchanged = steps.stream().anyMatch(step -> step.exchangesOver(stride));
            double hop = machine.hop(size, stride) / (isExchanged ? size - 1 : 1);
            dimensions.add(new NetworkDimension(Topology.SWITCH, size, bandwidth / GIB, NANOS / 2 * hop));
        }
        return dimensions;
    }

    /** Adds the collectives of all layers and micro-batches. */
    private void layers() {
        LayerModel layers = new LayerModel(model, machine, job, LinkRatios.NONE);
        double micro = (double) s.microBatches(job.globalBatch()) / s.pipeline();
        double tokens = (double) s.microBatch() * job.sequence() / s.context();
        int t = s.tensor();
        int mixtures = model.mixturesBefore(model.layers());
        double blocks = micro
                * ((model.layers() - mixtures) * TensorTraffic.blocks(model, false)
                        + mixtures * TensorTraffic.blocks(model, true));
        double bytes = 2 * tokens * model.hidden();
        if (t > 1) {
            double gathered = bytes * TensorTraffic.gathered(s, job);
            Step gather = new Step(CollectiveType.ALL_GATHER, 1, t, gathered);
            Step scatter = new Step(CollectiveType.REDUCE_SCATTER, 1, t, bytes);
            double times = blocks * (s.isSequence() ? 3 : 2);
            add(Kind.TENSOR, "tensor parallel, gather", times, layers.ring(gathered, t, 1), gather);
            add(Kind.TENSOR, "tensor parallel, scatter", blocks * 2, layers.ring(bytes, t, 1), scatter);
        }
        if (s.context() > 1) {
            double gatheredBytes = layers.keyValueBytes(s, tokens) * s.context();
            Step ring = new Step(CollectiveType.ALL_GATHER, t, t * s.context(), gatheredBytes);
            add(
                    Kind.CONTEXT,
                    "context parallel, keys and values",
                    3 * micro * model.layers(),
                    layers.contextAlone(s, tokens, 1),
                    ring);
        }
        if (mixtures > 0 && s.expert() > 1) {
            experts(layers, "experts, dispatch", layers.dispatch(s, tokens, false), 2 * micro * mixtures);
            experts(layers, "experts, combination", layers.dispatch(s, tokens, true), 2 * micro * mixtures);
        }
    }

    /** Adds a two-level exchange with experts: between domains, and between ranks inside a domain. */
    private void experts(LayerModel layers, String part, LayerModel.Dispatch way, double times) {
        int from = s.expertTensor();
        int to = from * s.expert();
        int near = Math.max(from, Math.min(to, edge));
        List<Step> steps = new ArrayList<>();
        steps.add(new Step(CollectiveType.ALL_TO_ALL, near, to, way.bytes() * way.once()));
        steps.add(new Step(CollectiveType.ALL_TO_ALL, from, near, way.bytes() * near / to));
        steps.add(new Step(CollectiveType.ALL_GATHER, 1, from, way.bytes() * from));
        add(Kind.EXPERT, part, s.expert(), from, way.bytes(), times, layers.expertAlone(s, way), steps);
    }

    /** Adds the collectives of gradients and weights over replicas, and of gradient sums over sharding groups. */
    private void replicas() {
        double[] weights = MemoryModel.maxRankWeights(model, s, layout);
        if (weights[0] > 0 && s.replicas() > 1) {
            replicas(Kind.DATA, "data parallel", weights[0], s.replicas(), s.tensor());
        }
        if (weights[1] > 0 && s.expertReplicas() > 1) {
            int stride = s.expert() * s.expertTensor();
            replicas(Kind.EXPERT_DATA, "data parallel of experts", weights[1], s.expertReplicas(), stride);
        }
    }

    private void replicas(Kind kind, String name, double parameters, int all, int stride) {
        StepEstimator step = new StepEstimator(model, machine, job);
        double often = s.zero() < 2 ? 1 : s.microBatches(job.globalBatch());
        int shards = kind == Kind.DATA ? Math.min(s.shardGroup(), all) : s.expertShards();
        int members = s.zero() == 0 ? all : shards;
        int to = stride * members;
        double gradients = job.storage().gradientBytes() * parameters;
        double weights = (s.zero() == 0 ? job.storage().gradientBytes() : job.gatheredBytes()) * parameters;
        if (members > 1) {
            Step scatter = new Step(CollectiveType.REDUCE_SCATTER, stride, to, gradients);
            Step gather = new Step(CollectiveType.ALL_GATHER, stride, to, weights);
            String gathered = s.zero() == 0 ? ", gradients gathered" : ", weights";
            add(kind, name + ", gradients", often, step.ring(gradients, members, stride), scatter);
            add(kind, name + gathered, s.zero() == 3 ? 2 * often : 1, step.ring(weights, members, stride), gather);
        }
        if (all > members) {
            double sums = gradients / members;
            Step reduce = new Step(CollectiveType.ALL_REDUCE, to, stride * all, sums);
            add(kind, name + ", between groups", 1, 2 * step.ring(sums, all / members, to), reduce);
        }
    }

    private void add(Kind kind, String part, double times, double formula, Step step) {
        add(kind, part, step.to / step.from, step.from, step.bytes, times, formula, List.of(step));
    }

    private void add(
            Kind kind,
            String part,
            int members,
            int stride,
            double bytes,
            double times,
            double formula,
            List<Step> steps) {
        all.addAll(steps);
        rows.add(new Row(kind, part, members, stride, bytes, times, formula, simulate(steps)));
    }

    private static List<EtNode> nodes(List<Step> steps, List<Integer> strides) {
        List<EtNode> nodes = new ArrayList<>();
        for (Step step : steps) {
            if (step.to > step.from) {
                nodes.add(node(step, nodes.size(), strides));
            }
        }
        return nodes;
    }

    /** Returns the simulated seconds of the steps in sequence on all devices of the stage. Adjacent dimensions of equal links are merged. */
    private double simulate(List<Step> steps) {
        int last = bounds.get(bounds.size() - 1);
        TreeSet<Integer> strides = new TreeSet<>(List.of(1, edge, last));
        steps.forEach(step -> Collections.addAll(strides, step.from, step.to));
        List<Integer> chain = List.copyOf(strides);
        List<NetworkDimension> dimensions = dimensions(chain, steps);
        RankTraceBuilder builder = new RankTraceBuilder("stage");
        nodes(steps, chain).forEach(builder::add);
        boolean crosses = steps.stream().anyMatch(step -> step.from < edge && step.to > edge);
        List<RankTrace> traces = Collections.nCopies(last, builder.build());
        int pieces = crosses ? CHUNKS : 1;
        return NetworkConfirmation.run(s, traces, dimensions, CommGroups.NONE, pieces, true)
                        .endNs()
                / NANOS;
    }

    /** Returns a trace node. The size of an all-gather in a trace is the input of one device. */
    private static EtNode node(Step step, int id, List<Integer> strides) {
        boolean[] involved = new boolean[strides.size() - 1];
        for (int i = 0; i < involved.length; i++) {
            involved[i] = strides.get(i) >= step.from && strides.get(i + 1) <= step.to;
        }
        double bytes = step.type == CollectiveType.ALL_GATHER ? step.bytes * step.from / step.to : step.bytes;
        EtNode node = EtNode.of(
                id,
                step.type.name(),
                NodeType.COMM_COLL_NODE,
                EtAttribute.ofBool(EtNames.IS_CPU_OP, false),
                EtAttribute.ofLong(EtNames.COMM_TYPE, step.type.number()),
                EtAttribute.ofLong(EtNames.COMM_SIZE, Math.max(1, Math.round(bytes))),
                EtAttribute.ofBools(EtNames.INVOLVED_DIM, involved));
        return id == 0 ? node : node.withDataDeps(id - 1L);
    }
}
