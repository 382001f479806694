package dev.stagesim.sim.trace.generate;

import dev.stagesim.model.trace.EtAttribute;
import dev.stagesim.model.trace.EtKind;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.model.trace.EtValue;
import dev.stagesim.model.trace.NodeType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** One metadata node with an attribute of every kind, for readers to prove themselves on. */
final class AllAttributeTypes implements TracePattern {
    private static final int FIRST_TEXT = 12_345;
    private static final int TEXTS = 10;
    private static final long LONG = 9_876_543_210L;
    private static final long SECOND_LONG = 1_234_567_890L;

    @Override
    public String name() {
        return "one_metadata_node_all_types";
    }

    @Override
    public String doc() {
        return "One metadata node with an attribute of every kind.";
    }

    @Override
    public Set<Figure> figures() {
        return Set.of();
    }

    @Override
    public List<EtNode> nodes(int npu, PatternOptions options) {
        List<EtAttribute> attributes = new ArrayList<>();
        for (EtKind kind : EtKind.values()) {
            attributes.add(new EtAttribute(kind.label(), remark(kind), value(kind), new byte[0]));
            attributes.add(new EtAttribute(kind.label() + "_list", list(kind)));
        }
        NodeBuilder builder = new NodeBuilder(options);
        builder.add("METADATA_NODE", NodeType.METADATA_NODE, 0, attributes);
        return builder.nodes();
    }

    /** The reference remarks on some kinds only. */
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
            case STRING -> {
                List<String> texts = new ArrayList<>();
                for (int i = 0; i < TEXTS; i++) {
                    texts.add(text(i));
                }
                yield new EtValue.Texts(texts);
            }
            case BYTES -> {
                List<EtValue.Blob> blobs = new ArrayList<>();
                for (int i = 0; i < TEXTS; i++) {
                    blobs.add(blob(i));
                }
                yield new EtValue.Blobs(blobs);
            }
        };
    }

    private static String text(int i) {
        return Integer.toString(FIRST_TEXT + i);
    }

    private static EtValue.Blob blob(int i) {
        return new EtValue.Blob(text(i).getBytes(StandardCharsets.US_ASCII));
    }
}
