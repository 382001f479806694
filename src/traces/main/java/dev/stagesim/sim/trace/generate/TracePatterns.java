package dev.stagesim.sim.trace.generate;

import static dev.stagesim.sim.trace.generate.NodeBuilder.ABSENT;
import static dev.stagesim.sim.trace.generate.TracePattern.uniform;
import static dev.stagesim.sim.trace.generate.TracePattern.varied;

import dev.stagesim.model.trace.CollectiveType;
import dev.stagesim.model.trace.EtAttribute;
import dev.stagesim.model.trace.EtKind;
import dev.stagesim.model.trace.EtNames;
import dev.stagesim.model.trace.EtValue;
import dev.stagesim.model.trace.NodeType;
import dev.stagesim.sim.trace.generate.NodeBuilder.Message;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Registry of all trace patterns, grouped by the reference generator that defines them. */
public final class TracePatterns {
    private static final List<String> INVALID = List.of(
            "A computation, then a node without a type.",
            "A computation, a node without a type, a computation.",
            "A node without a type, then a computation.",
            "A node without a type, then two computations at once.");

    /** First patterns of all generator revisions for schemas 0.0.4 and 1.0.0. */
    private static final List<TracePattern> COMMON = List.of(
            uniform(
                    "one_metadata_node_all_types",
                    "One metadata node with an attribute of every kind.",
                    (nodes, npu, options) -> AllAttributeTypes.make(nodes)),
            memory("one_remote_mem_load_node", "One load from remote memory.", NodeType.MEM_LOAD_NODE),
            memory("one_remote_mem_store_node", "One store to remote memory.", NodeType.MEM_STORE_NODE),
            computations("one_comp_node", "One computation.", 1, false),
            computations("two_comp_nodes_independent", "2 computations at once.", 2, false),
            computations("two_comp_nodes_dependent", "2 computations, one after the other.", 2, true));

    /** Patterns of the generator for schema 1.0.0, in the order that determines their node ids. */
    public static final List<TracePattern> CURRENT = with(
            COMMON,
            collective("ALL_REDUCE", "ALL_REDUCE", CollectiveType.ALL_REDUCE),
            collective("ALL_TO_ALL", "ALL_TO_ALL", CollectiveType.ALL_TO_ALL),
            collective("ALL_GATHER", "ALL_GATHER", CollectiveType.ALL_GATHER),
            collective("REDUCE_SCATTER", "REDUCE_SCATTER", CollectiveType.REDUCE_SCATTER),
            collective("BROADCAST", "BROADCAST", CollectiveType.BROADCAST),
            uniform(
                    "BARRIER",
                    "One BARRIER of all processors.",
                    (nodes, npu, options) -> nodes.collective("BARRIER", CollectiveType.BARRIER, 0),
                    PatternParameter.NUM_DIMS),
            message("one_comm_send_node", "One message to the next processor.", false),
            message("one_comm_recv_node", "One message from the processor before, and one to the next.", true));

    /** Patterns of the generator for schema 0.0.4, in the order that determines their node ids. */
    public static final List<TracePattern> DIMENSIONS = with(
            COMMON,
            collective("one_comm_coll_node_allreduce", "ALL_REDUCE", CollectiveType.ALL_REDUCE),
            collective("one_comm_coll_node_alltoall", "ALL_TO_ALL", CollectiveType.ALL_TO_ALL),
            collective("one_comm_coll_node_allgather", "ALL_GATHER", CollectiveType.ALL_GATHER),
            collective("one_comm_coll_node_reducescatter", "REDUCE_SCATTER", CollectiveType.REDUCE_SCATTER));

    /** Patterns of the generator for schema 0.0.1; ids start at 0 in every file. */
    public static final List<TracePattern> FIRST = first();

    /** Additional patterns without a reference. */
    public static final List<TracePattern> OWN = OwnPatterns.ALL;

    private static final String COLLECTIVE = "COMM_COLL_NODE";
    private static final int MIN_MESSAGE_BITS = 6;
    private static final int MAX_MESSAGE_BITS = 16;

    private TracePatterns() {}

    private static List<TracePattern> with(List<TracePattern> before, TracePattern... more) {
        List<TracePattern> all = new ArrayList<>(before);
        all.addAll(List.of(more));
        return List.copyOf(all);
    }

    private static List<TracePattern> first() {
        List<TracePattern> all = new ArrayList<>(List.of(
                computations("oneCompNode", "One computation.", 1, false),
                computations("twoCompNodesIndependent", "2 computations at once.", 2, false),
                computations("twoCompNodesDependent", "2 computations, one after the other.", 2, true),
                collective("oneCommNodeAllReduce", COLLECTIVE, CollectiveType.ALL_REDUCE),
                collective("oneCommNodeAllToAll", COLLECTIVE, CollectiveType.ALL_TO_ALL),
                collective("oneCommNodeAllGather", COLLECTIVE, CollectiveType.ALL_GATHER),
                collective("oneCommNodeReduceScatter", COLLECTIVE, CollectiveType.REDUCE_SCATTER)));
        for (int bits = MIN_MESSAGE_BITS; bits <= MAX_MESSAGE_BITS; bits++) {
            all.add(ringExchange(1L << bits));
        }
        for (int number = 1; number <= 4; number++) {
            all.add(invalid(number));
        }
        all.addAll(Comparisons.ALL);
        return List.copyOf(all);
    }

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

    private static TracePattern memory(String name, String doc, NodeType type) {
        return uniform(name, doc, (nodes, npu, options) -> nodes.memory(type), PatternParameter.TENSOR_SIZE);
    }

    private static TracePattern computations(String name, String doc, int count, boolean isChain) {
        TracePattern.Maker maker = (nodes, npu, options) -> {
            long last = ABSENT;
            for (int i = 0; i < count; i++) {
                last = nodes.compute("COMP_NODE", options.runtime(), isChain ? last : ABSENT);
            }
        };
        return uniform(name, doc, maker, PatternParameter.RUNTIME);
    }

    private static TracePattern collective(String name, String nodeName, CollectiveType type) {
        return uniform(
                name,
                "One " + type + " of all processors.",
                (nodes, npu, options) -> nodes.collective(nodeName, type, options.commSize()),
                PatternParameter.COMM_SIZE,
                PatternParameter.NUM_DIMS);
    }

    /**
     * Creates a message pattern. The reference's nodes have neither ranks nor sizes. These have both, and a receiving
     * processor also sends, because otherwise no message would arrive.
     */
    private static TracePattern message(String name, String doc, boolean receives) {
        NodeType type = receives ? NodeType.COMM_RECV_NODE : NodeType.COMM_SEND_NODE;
        TracePattern.Maker maker = (nodes, npu, options) -> {
            if (options.likeReference()) {
                EtAttribute size = EtAttribute.ofUnsigned(EtNames.TENSOR_SIZE, options.tensorSize());
                nodes.add(type.name(), type, 0, NodeBuilder.onDevice(size));
                return;
            }
            if (receives) {
                nodes.receive(type.name(), new Message(options.before(npu), npu, options.commSize(), 0));
            }
            nodes.send(NodeType.COMM_SEND_NODE.name(), new Message(npu, options.after(npu), options.commSize(), 0));
        };
        return varied(name, doc, maker, PatternParameter.COMM_SIZE);
    }

    /** Every processor sends to the next one and receives from the previous one. */
    private static TracePattern ringExchange(long bytes) {
        TracePattern.Maker maker = (nodes, npu, options) -> {
            nodes.send(NodeType.COMM_SEND_NODE.name(), new Message(npu, options.after(npu), bytes, 0));
            nodes.receive(NodeType.COMM_RECV_NODE.name(), new Message(options.before(npu), npu, bytes, 0));
        };
        return varied(
                "commNodesSingleSendSingleRecv." + bytes,
                bytes + " bytes to the next processor and from the one before.",
                maker);
    }

    /** Computations with one invalid node without a type, to test simulators. */
    private static TracePattern invalid(int number) {
        TracePattern.Maker maker = (nodes, npu, options) -> {
            long first = number <= 2 ? nodes.compute("COMP_NODE", options.runtime()) : ABSENT;
            long invalid = nodes.add("INVALID_NODE", NodeType.INVALID_NODE, 0, List.of(), first);
            int after = number == 1 ? 0 : number == 4 ? 2 : 1;
            for (int i = 0; i < after; i++) {
                nodes.compute("COMP_NODE", options.runtime(), invalid);
            }
        };
        return uniform("invalidNodeCase" + number, INVALID.get(number - 1), maker, PatternParameter.RUNTIME);
    }

    /** One metadata node with an attribute of every kind, to test readers. */
    private static final class AllAttributeTypes {
        private static final int FIRST_TEXT = 12_345;
        private static final int TEXTS = 10;
        private static final long LONG = 9_876_543_210L;
        private static final long SECOND_LONG = 1_234_567_890L;

        private AllAttributeTypes() {}

        static void make(NodeBuilder nodes) {
            List<EtAttribute> attributes = new ArrayList<>();
            for (EtKind kind : EtKind.values()) {
                attributes.add(new EtAttribute(kind.label(), remark(kind), value(kind), new byte[0]));
                attributes.add(new EtAttribute(kind.label() + "_list", list(kind)));
            }
            nodes.add("METADATA_NODE", NodeType.METADATA_NODE, 0, attributes);
        }

        private static String remark(EtKind kind) {
            return switch (kind) {
                case FIXED32, FIXED64, SFIXED32, SFIXED64, BYTES -> "";
                default -> kind.label();
            };
        }

        private static EtValue value(EtKind kind) {
            return switch (kind) {
                case DOUBLE -> new EtValue.Real(kind, 1.2345);
                case FLOAT -> new EtValue.Real(kind, 1.2345f);
                case INT32, UINT32, FIXED32 -> new EtValue.Whole(kind, FIRST_TEXT);
                case SINT32, SFIXED32 -> new EtValue.Whole(kind, -FIRST_TEXT);
                case INT64, UINT64, FIXED64 -> new EtValue.Whole(kind, LONG);
                case SINT64, SFIXED64 -> new EtValue.Whole(kind, -LONG);
                case BOOL -> new EtValue.Whole(kind, 1);
                case STRING -> new EtValue.Text(text(0));
                case BYTES -> blob(0);
            };
        }

        private static EtValue list(EtKind kind) {
            return switch (kind) {
                case DOUBLE -> new EtValue.Reals(kind, new double[] {1.2345, 2.3456});
                case FLOAT -> new EtValue.Reals(kind, new double[] {1.2345f, 2.3456f});
                case INT32, UINT32, FIXED32 -> new EtValue.Wholes(kind, new long[] {FIRST_TEXT, 23_456});
                case SINT32, SFIXED32 -> new EtValue.Wholes(kind, new long[] {FIRST_TEXT, -23_456});
                case INT64, UINT64, FIXED64 -> new EtValue.Wholes(kind, new long[] {LONG, SECOND_LONG});
                case SINT64, SFIXED64 -> new EtValue.Wholes(kind, new long[] {LONG, -SECOND_LONG});
                case BOOL -> new EtValue.Wholes(kind, new long[] {1, 0, 1, 0, 1, 0, 1, 0, 1, 0});
                case STRING ->
                    new EtValue.Texts(range().mapToObj(AllAttributeTypes::text).toList());
                case BYTES ->
                    new EtValue.Blobs(range().mapToObj(AllAttributeTypes::blob).toList());
            };
        }

        private static IntStream range() {
            return IntStream.range(0, TEXTS);
        }

        private static String text(int i) {
            return Integer.toString(FIRST_TEXT + i);
        }

        private static EtValue.Blob blob(int i) {
            return new EtValue.Blob(text(i).getBytes(StandardCharsets.US_ASCII));
        }
    }

    /** Patterns without a reference. */
    private static final class OwnPatterns {
        static final List<TracePattern> ALL = List.of(
                uniform(
                        "moe_all_to_all",
                        "Layers of a router, an all-to-all to the experts, their computation, and an all-to-all back.",
                        OwnPatterns::mixture,
                        PatternParameter.RUNTIME,
                        PatternParameter.COMM_SIZE,
                        PatternParameter.NUM_DIMS,
                        PatternParameter.LAYERS),
                varied(
                        "ring_pipeline",
                        "Micro-batches that pass through all processors in turn and come back to the first.",
                        OwnPatterns::ring,
                        PatternParameter.RUNTIME,
                        PatternParameter.COMM_SIZE,
                        PatternParameter.MICRO_BATCHES),
                varied(
                        "tree_pipeline",
                        "Micro-batches that go up a binary tree of processors and down again.",
                        OwnPatterns::tree,
                        PatternParameter.RUNTIME,
                        PatternParameter.COMM_SIZE,
                        PatternParameter.MICRO_BATCHES),
                uniform(
                        "memory_layers",
                        "Layers that are loaded from remote memory ahead, computed, and stored.",
                        OwnPatterns::memory,
                        PatternParameter.RUNTIME,
                        PatternParameter.TENSOR_SIZE,
                        PatternParameter.LAYERS));

        private OwnPatterns() {}

        private static void mixture(NodeBuilder nodes, int npu, PatternOptions options) {
            long last = ABSENT;
            for (int layer = 0; layer < options.layers(); layer++) {
                String name = "layer" + layer;
                last = nodes.compute(name + ".router", options.runtime(), last);
                last = nodes.collective(name + ".dispatch", CollectiveType.ALL_TO_ALL, options.commSize(), last);
                last = nodes.compute(name + ".experts", options.runtime(), last);
                last = nodes.collective(name + ".combine", CollectiveType.ALL_TO_ALL, options.commSize(), last);
            }
        }

        /** Each layer is loaded while the previous one is computed. */
        private static void memory(NodeBuilder nodes, int npu, PatternOptions options) {
            long loaded = nodes.memory(NodeType.MEM_LOAD_NODE);
            long computed = ABSENT;
            for (int layer = 0; layer < options.layers(); layer++) {
                long next = layer + 1 < options.layers() ? nodes.memory(NodeType.MEM_LOAD_NODE, loaded) : ABSENT;
                computed = nodes.compute("layer" + layer, options.runtime(), loaded, computed);
                nodes.memory(NodeType.MEM_STORE_NODE, computed);
                loaded = next;
            }
        }

        private static void ring(NodeBuilder nodes, int npu, PatternOptions options) {
            long computed = ABSENT;
            long received = ABSENT;
            for (int batch = 0; batch < options.microBatches(); batch++) {
                received = npu == 0 ? ABSENT : arrive(nodes, npu, batch, options, received);
                computed = nodes.compute("compute.mb" + batch, options.runtime(), computed, received);
                if (options.numNpus() > 1) {
                    nodes.send(
                            "send.mb" + batch,
                            new Message(npu, options.after(npu), options.commSize(), batch),
                            computed);
                }
            }
            for (int batch = 0; npu == 0 && options.numNpus() > 1 && batch < options.microBatches(); batch++) {
                received = arrive(nodes, npu, batch, options, received);
            }
        }

        private static long arrive(NodeBuilder nodes, int npu, int batch, PatternOptions options, long after) {
            return nodes.receive(
                    "recv.mb" + batch, new Message(options.before(npu), npu, options.commSize(), batch), after);
        }

        private static void tree(NodeBuilder nodes, int npu, PatternOptions options) {
            int[] children = IntStream.rangeClosed(2 * npu + 1, 2 * npu + 2)
                    .filter(child -> child < options.numNpus())
                    .toArray();
            int parent = (npu - 1) / 2;
            long computed = ABSENT;
            for (int batch = 0; batch < options.microBatches(); batch++) {
                long[] parents = new long[children.length + 1];
                parents[0] = computed;
                for (int i = 0; i < children.length; i++) {
                    Message up = new Message(children[i], npu, options.commSize(), 2 * batch);
                    parents[i + 1] = nodes.receive("up.recv.mb" + batch, up);
                }
                computed = nodes.compute("up.compute.mb" + batch, options.runtime(), parents);
                if (npu > 0) {
                    nodes.send("up.send.mb" + batch, new Message(npu, parent, options.commSize(), 2 * batch), computed);
                }
            }
            for (int batch = 0; batch < options.microBatches(); batch++) {
                int tag = 2 * batch + 1;
                long arrived = npu == 0
                        ? ABSENT
                        : nodes.receive("down.recv.mb" + batch, new Message(parent, npu, options.commSize(), tag));
                computed = nodes.compute("down.compute.mb" + batch, options.runtime(), computed, arrived);
                for (int child : children) {
                    nodes.send("down.send.mb" + batch, new Message(npu, child, options.commSize(), tag), computed);
                }
            }
        }
    }
}
