package dev.stagesim.sim.collective;

import dev.stagesim.model.trace.CommGroups;
import dev.stagesim.model.trace.EtAttribute;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.model.trace.NodeType;
import dev.stagesim.sim.collective.procedure.Algorithm;
import dev.stagesim.sim.collective.procedure.CollectiveKind;
import dev.stagesim.sim.collective.procedure.Procedure;
import dev.stagesim.sim.collective.result.SimulationObserver;
import dev.stagesim.sim.collective.result.SimulationResult;
import dev.stagesim.sim.collective.spec.AstraCompat;
import dev.stagesim.sim.collective.spec.ChunkOrder;
import dev.stagesim.sim.collective.spec.DimensionOrder;
import dev.stagesim.sim.collective.spec.MemorySpec;
import dev.stagesim.sim.collective.spec.Roofline;
import dev.stagesim.sim.collective.spec.SharedBus;
import dev.stagesim.sim.collective.spec.SimulationSpec;
import dev.stagesim.sim.collective.spec.SystemSpec;
import dev.stagesim.sim.collective.trace.CustomCollective;
import dev.stagesim.sim.collective.trace.RankTrace;
import dev.stagesim.sim.collective.trace.RankTraceBuilder;
import dev.stagesim.sim.network.Fabrics;
import dev.stagesim.sim.network.Network;
import dev.stagesim.sim.network.NetworkDimension;
import dev.stagesim.sim.network.NetworkSpec;
import dev.stagesim.sim.network.NetworkSpec.Contention;
import dev.stagesim.sim.network.Networks;
import dev.stagesim.sim.network.Topology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A machine for tests with the values of the specification's worked examples as defaults. */
public final class TestSystem {
    static final Procedure RING = procedure("ring");
    static final Procedure DIRECT = procedure("direct");
    static final Procedure HALVING_DOUBLING = procedure("halvingDoubling");
    static final Procedure DOUBLE_BINARY_TREE = procedure("doubleBinaryTree");

    private final List<NetworkDimension> dimensions = new ArrayList<>();
    private final Map<Integer, List<Integer>> groups = new TreeMap<>();
    private List<Algorithm> algorithms = List.of(Algorithm.RING);
    private SystemSpec.Optimization optimization = SystemSpec.Optimization.LOCAL_BW_AWARE;
    private DimensionOrder dimensionOrder = DimensionOrder.ASCENDING;
    private ChunkOrder queueOrder = ChunkOrder.FIFO;
    private Optional<Roofline> roofline = Optional.empty();
    private MemorySpec memory = MemorySpec.ABSENT;
    private Contention contention = Contention.UNAWARE;
    private AstraCompat compat = AstraCompat.ASTRA;
    private double localMemory = 50e9;
    private int splits = 4;
    private int active = 1;
    private int queues = 1;
    private int endpointDelay = 10;
    private boolean isReplayed;
    private boolean isRendezvous;
    private Optional<SharedBus> bus = Optional.empty();
    private final Map<CollectiveKind, CustomCollective> custom = new EnumMap<>(CollectiveKind.class);
    private boolean isSymmetric;

    private static Procedure procedure(String name) {
        return Algorithm.parse(name).orElseThrow().procedure();
    }

    static TestSystem of(Topology topology, int npus) {
        return new TestSystem().dimension(topology, npus, 50, 500);
    }

    static TestSystem empty() {
        return new TestSystem();
    }

    TestSystem dimension(Topology topology, int npus, double bandwidth, double latency) {
        dimensions.add(new NetworkDimension(topology, npus, bandwidth, latency));
        return this;
    }

    TestSystem algorithms(Algorithm... value) {
        algorithms = List.of(value);
        return this;
    }

    TestSystem family(Procedure... families) {
        algorithms = Arrays.stream(families)
                .map(value -> new Algorithm(value, 0, false))
                .toList();
        return this;
    }

    TestSystem splits(int value) {
        splits = value;
        return this;
    }

    TestSystem active(int value) {
        active = value;
        return this;
    }

    TestSystem queues(int value) {
        queues = value;
        return this;
    }

    TestSystem endpointDelay(int value) {
        endpointDelay = value;
        return this;
    }

    TestSystem localMemory(double bytesPerSecond) {
        localMemory = bytesPerSecond;
        return this;
    }

    TestSystem baseline() {
        optimization = SystemSpec.Optimization.BASELINE;
        return this;
    }

    TestSystem orders(DimensionOrder.Kind dimensionKind, ChunkOrder queues) {
        dimensionOrder = new DimensionOrder(
                dimensionKind,
                dimensions.stream().map(NetworkDimension::bytesPerNs).toList());
        queueOrder = queues;
        return this;
    }

    TestSystem roofline(double peak) {
        roofline = Optional.of(new Roofline(peak));
        return this;
    }

    TestSystem memory(MemorySpec value) {
        memory = value;
        return this;
    }

    TestSystem group(int id, Integer... ranks) {
        groups.put(id, List.of(ranks));
        return this;
    }

    TestSystem replayed() {
        isReplayed = true;
        return this;
    }

    TestSystem rendezvous() {
        isRendezvous = true;
        return this;
    }

    TestSystem aware() {
        contention = Contention.AWARE;
        return this;
    }

    TestSystem shared() {
        contention = Contention.SHARED;
        return this;
    }

    TestSystem bus(double gapPerByte) {
        bus = Optional.of(new SharedBus(0, 0, 0, gapPerByte, 1));
        return this;
    }

    /** Sets a custom all-reduce with a trace for each position. */
    TestSystem custom(List<RankTrace> traces) {
        custom.put(CollectiveKind.ALL_REDUCE, new CustomCollective(traces));
        return this;
    }

    TestSystem compat(AstraCompat value) {
        compat = value;
        return this;
    }

    TestSystem symmetric(boolean value) {
        isSymmetric = value;
        return this;
    }

    int npus() {
        return new NetworkSpec(dimensions, contention).npus();
    }

    SimulationResult run(RankTrace everywhere) {
        return run(Collections.nCopies(npus(), everywhere));
    }

    SimulationResult run(List<RankTrace> traces) {
        return run(traces, SimulationObserver.NONE);
    }

    SimulationResult run(List<RankTrace> traces, SimulationObserver observer) {
        boolean isProduct = contention != Contention.UNAWARE && (dimensions.size() > 1 || npus() == 2);
        Network network = isProduct
                ? Networks.of(Fabrics.product(dimensions), contention)
                : Networks.of(new NetworkSpec(dimensions, contention));
        return CollectiveSimulation.run(spec(), traces, network, observer);
    }

    SimulationSpec spec() {
        Map<CollectiveKind, List<Algorithm>> implementations = new EnumMap<>(CollectiveKind.class);
        for (CollectiveKind kind : CollectiveKind.values()) {
            implementations.put(kind, algorithms);
        }
        SystemSpec system = new SystemSpec(
                new SystemSpec.Scheduling(SystemSpec.Policy.LIFO, splits, active, queues, dimensionOrder, queueOrder),
                endpointDelay,
                localMemory,
                roofline,
                isReplayed,
                isRendezvous,
                bus,
                new SystemSpec.Procedures(optimization, implementations, custom, Map.of()));
        return new SimulationSpec(
                system,
                dimensions.stream().map(NetworkDimension::npus).toList(),
                memory,
                new CommGroups(groups),
                compat,
                isSymmetric);
    }

    static RankTrace trace(EtNode... nodes) {
        RankTraceBuilder builder = new RankTraceBuilder("trace");
        for (EtNode node : nodes) {
            builder.add(node);
        }
        return builder.build();
    }

    static EtNode collective(long id, int type, long bytes, EtAttribute... more) {
        List<EtAttribute> attributes = new ArrayList<>(List.of(
                EtAttribute.ofBool("is_cpu_op", false),
                EtAttribute.ofLong("comm_type", type),
                EtAttribute.ofLong("comm_size", bytes)));
        attributes.addAll(List.of(more));
        return EtNode.of(id, "collective " + id, NodeType.of(7), attributes.toArray(EtAttribute[]::new));
    }

    static EtNode compute(long id, long micros) {
        return EtNode.of(id, "compute " + id, NodeType.of(4), EtAttribute.ofBool("is_cpu_op", false))
                .withDuration(micros);
    }

    static EtNode message(long id, boolean isSend, int from, int to, long bytes, int tag) {
        return EtNode.of(
                id,
                (isSend ? "send " : "receive ") + id,
                NodeType.of(isSend ? 5 : 6),
                EtAttribute.ofBool("is_cpu_op", false),
                EtAttribute.ofInt("comm_src", from),
                EtAttribute.ofInt("comm_dst", to),
                EtAttribute.ofLong("comm_size", bytes),
                EtAttribute.ofInt("comm_tag", tag));
    }
}
