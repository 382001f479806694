package dev.stagesim.sim.trace.generate;

import dev.stagesim.model.trace.CollectiveType;
import dev.stagesim.model.trace.NodeType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The patterns, by the reference generator that has them; the one place where they are listed. */
public final class TracePatterns {
    /** Those that all revisions of the generator for schemas 0.0.4 and 1.0.0 begin with. */
    private static final List<TracePattern> COMMON = List.of(
            new AllAttributeTypes(),
            new OneMemoryAccess("one_remote_mem_load_node", NodeType.MEM_LOAD_NODE),
            new OneMemoryAccess("one_remote_mem_store_node", NodeType.MEM_STORE_NODE),
            new Computations("one_comp_node", 1, false),
            new Computations("two_comp_nodes_independent", 2, false),
            new Computations("two_comp_nodes_dependent", 2, true));

    /** Of the generator for schema 1.0.0, in the order in which it numbers nodes. */
    public static final List<TracePattern> CURRENT = with(
            COMMON,
            new OneCollective("ALL_REDUCE", "ALL_REDUCE", CollectiveType.ALL_REDUCE),
            new OneCollective("ALL_TO_ALL", "ALL_TO_ALL", CollectiveType.ALL_TO_ALL),
            new OneCollective("ALL_GATHER", "ALL_GATHER", CollectiveType.ALL_GATHER),
            new OneCollective("REDUCE_SCATTER", "REDUCE_SCATTER", CollectiveType.REDUCE_SCATTER),
            new OneCollective("BROADCAST", "BROADCAST", CollectiveType.BROADCAST),
            new OneCollective("BARRIER", "BARRIER", CollectiveType.BARRIER),
            new OneMessage("one_comm_send_node", false),
            new OneMessage("one_comm_recv_node", true));

    /** Of the generator for schema 0.0.4, in the order in which it numbers nodes. */
    public static final List<TracePattern> DIMENSIONS = with(
            COMMON,
            new OneCollective("one_comm_coll_node_allreduce", "ALL_REDUCE", CollectiveType.ALL_REDUCE),
            new OneCollective("one_comm_coll_node_alltoall", "ALL_TO_ALL", CollectiveType.ALL_TO_ALL),
            new OneCollective("one_comm_coll_node_allgather", "ALL_GATHER", CollectiveType.ALL_GATHER),
            new OneCollective("one_comm_coll_node_reducescatter", "REDUCE_SCATTER", CollectiveType.REDUCE_SCATTER));

    /** Of the generator for schema 0.0.1; identities begin with 0 in every file. */
    public static final List<TracePattern> FIRST = first();

    /** Further ones of our own. */
    public static final List<TracePattern> OWN =
            List.of(new MoeLayers(), new RingPipeline(), new TreePipeline(), new MemoryLayers());

    private static final String COLLECTIVE = "COMM_COLL_NODE";
    private static final int LEAST_MESSAGE = 6;
    private static final int GREATEST_MESSAGE = 16;

    private TracePatterns() {}

    private static List<TracePattern> with(List<TracePattern> before, TracePattern... more) {
        List<TracePattern> all = new ArrayList<>(before);
        all.addAll(List.of(more));
        return List.copyOf(all);
    }

    private static List<TracePattern> first() {
        List<TracePattern> all = new ArrayList<>(List.of(
                new Computations("oneCompNode", 1, false),
                new Computations("twoCompNodesIndependent", 2, false),
                new Computations("twoCompNodesDependent", 2, true),
                new OneCollective("oneCommNodeAllReduce", COLLECTIVE, CollectiveType.ALL_REDUCE),
                new OneCollective("oneCommNodeAllToAll", COLLECTIVE, CollectiveType.ALL_TO_ALL),
                new OneCollective("oneCommNodeAllGather", COLLECTIVE, CollectiveType.ALL_GATHER),
                new OneCollective("oneCommNodeReduceScatter", COLLECTIVE, CollectiveType.REDUCE_SCATTER)));
        for (int bits = LEAST_MESSAGE; bits <= GREATEST_MESSAGE; bits++) {
            all.add(new RingExchange(1L << bits));
        }
        for (int number = 1; number <= 4; number++) {
            all.add(new InvalidNodes(number));
        }
        all.add(new ThreeLayers(false));
        all.add(new ThreeLayers(true));
        all.add(new DataParallelComparison());
        all.add(new ModelParallelComparison());
        all.add(new PipelineComparison());
        return List.copyOf(all);
    }

    /** All patterns, each once. */
    public static List<TracePattern> all() {
        List<TracePattern> all = new ArrayList<>(CURRENT);
        all.addAll(DIMENSIONS.subList(COMMON.size(), DIMENSIONS.size()));
        all.addAll(FIRST);
        all.addAll(OWN);
        return all;
    }

    public static Optional<TracePattern> find(String name) {
        return all().stream().filter(pattern -> pattern.name().equals(name)).findFirst();
    }
}
