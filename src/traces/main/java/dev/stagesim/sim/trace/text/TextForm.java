package dev.stagesim.sim.trace.text;

import dev.stagesim.model.trace.CollectiveType;
import dev.stagesim.model.trace.EtAttribute;
import dev.stagesim.model.trace.EtMetadata;
import dev.stagesim.model.trace.EtNames;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.model.trace.EtValue;
import dev.stagesim.model.trace.LegacyField;
import dev.stagesim.model.trace.LegacyNode;
import dev.stagesim.model.trace.LegacyNodeType;
import dev.stagesim.model.trace.NodeType;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Converts the nodes of a program to a trace schema. */
public final class TextForm {
    private final TextProgram program;
    private final TextOptions options;

    public TextForm(TextProgram program) {
        this.program = program;
        options = program.options();
    }

    /** Metadata of every trace: the schema and the source text. */
    public EtMetadata metadata() {
        String label = options.schema() == TextSchema.V1_0_0 ? "1.0.2-chakra.1.0.0" : "1.0.2-chakra.0.0.4";
        return new EtMetadata(
                "",
                List.of(
                        EtAttribute.ofText("schema", label),
                        EtAttribute.ofText("input_file", program.workload().text())));
    }

    /** True if the traces of all processors are equal except for node ids. */
    public boolean isUniform() {
        return !TextProgram.hasGroups(program.workload());
    }

    /**
     * Returns the nodes of a processor in schema 0.0.4 or 1.0.0. A node is made when it is read.
     *
     * @param npu processor number, which determines its groups
     */
    public List<EtNode> nodes(int npu) {
        return new AbstractList<>() {
            @Override
            public EtNode get(int index) {
                TextNode node = program.nodes().get(index);
                return node.collective() ? collective(node, npu) : compute(node);
            }

            @Override
            public int size() {
                return program.nodes().size();
            }
        };
    }

    private static EtNode compute(TextNode node) {
        return EtNode.of(node.id(), node.name(), NodeType.COMP_NODE)
                .withDuration(node.amount())
                .withDataDeps(node.parents());
    }

    private EtNode collective(TextNode node, int npu) {
        List<EtAttribute> attributes = new ArrayList<>(3);
        attributes.add(EtAttribute.ofLong(
                EtNames.COMM_TYPE,
                type(node.step()).orElse(CollectiveType.ALL_REDUCE).number()));
        attributes.add(
                options.schema() == TextSchema.V1_0_0
                        ? EtAttribute.ofLong(EtNames.COMM_SIZE, node.amount())
                        : EtAttribute.ofUnsigned(EtNames.COMM_SIZE, node.amount()));
        if (node.span().isGroup()) {
            attributes.add(EtAttribute.ofText(EtNames.PG_NAME, options.groups().name(node.span(), npu)));
        } else if (options.namesDims()) {
            boolean[] dims = dims(node.span());
            // The reference writes no value if there is no dimension to add.
            attributes.add(
                    dims.length == 0
                            ? new EtAttribute(EtNames.INVOLVED_DIM, new EtValue.Unset())
                            : EtAttribute.ofBools(EtNames.INVOLVED_DIM, dims));
        }
        return EtNode.of(node.id(), node.name(), NodeType.COMM_COLL_NODE)
                .withAttributes(attributes)
                .withDataDeps(node.parents());
    }

    /** Returns the nodes of a processor in schema 0.0.1. */
    public List<LegacyNode> legacyNodes(long shift) {
        List<LegacyNode> nodes = new ArrayList<>(program.nodes().size());
        for (TextNode node : program.nodes()) {
            LegacyNodeType type = node.collective() ? LegacyNodeType.COMM_COLL_NODE : LegacyNodeType.COMP_NODE;
            long[] parents = node.parents().clone();
            for (int i = 0; i < parents.length; i++) {
                parents[i] += shift;
            }
            LegacyNode made =
                    LegacyNode.of(node.id() + shift, node.name(), type).withParents(parents);
            nodes.add(
                    node.collective()
                            ? made.with(LegacyField.COMM_TYPE, LegacyField.collective(type(node.step())))
                                    .with(LegacyField.COMM_SIZE, node.amount())
                                    .withInvolvedDims(dims(node.span()))
                            : made.with(LegacyField.SIMULATED_RUN_TIME, node.amount()));
        }
        return nodes;
    }

    private static Optional<CollectiveType> type(String word) {
        return switch (word) {
            case "ALLREDUCE" -> Optional.of(CollectiveType.ALL_REDUCE);
            case "ALLTOALL" -> Optional.of(CollectiveType.ALL_TO_ALL);
            case "ALLGATHER" -> Optional.of(CollectiveType.ALL_GATHER);
            case "REDUCESCATTER" -> Optional.of(CollectiveType.REDUCE_SCATTER);
            default -> Optional.empty();
        };
    }

    private boolean[] dims(TextNode.Span span) {
        int count = Math.max(span == TextNode.Span.ALL ? 0 : 1, options.numDims());
        boolean[] dims = new boolean[count];
        for (int i = 0; i < count; i++) {
            dims[i] = span == TextNode.Span.ALL || (i == 0) == (span == TextNode.Span.FIRST);
        }
        return dims;
    }
}
