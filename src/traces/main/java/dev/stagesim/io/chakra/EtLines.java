package dev.stagesim.io.chakra;

import dev.stagesim.io.json.Json;
import dev.stagesim.model.ShortestDouble;
import dev.stagesim.model.trace.EtAttribute;
import dev.stagesim.model.trace.EtIo;
import dev.stagesim.model.trace.EtKind;
import dev.stagesim.model.trace.EtMetadata;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.model.trace.EtValue;
import dev.stagesim.model.trace.NodeType;
import java.util.Base64;
import java.util.List;

/**
 * Prints the messages of a trace as JSON, one per line.
 *
 * <p>Members are named as in the schema; empty ones are omitted. Numbers are JSON numbers, bytes are base64. An
 * attribute is an object with its name and its value; the value's member names the kind: {@code
 * {"name":"comm_size","int64_val":8}}.
 */
public final class EtLines {
    private EtLines() {}

    public static String line(EtMetadata metadata) {
        StringBuilder out = new StringBuilder("{\"metadata\":{\"version\":").append(Json.quoted(metadata.version()));
        attributes(out, metadata.attributes());
        return out.append("}}").toString();
    }

    public static String line(EtNode node) {
        StringBuilder out = new StringBuilder(256)
                .append("{\"id\":")
                .append(Long.toUnsignedString(node.id()))
                .append(",\"name\":")
                .append(Json.quoted(node.name()))
                .append(",\"type\":");
        if (node.type() == NodeType.UNKNOWN_NODE) {
            out.append(node.typeNumber());
        } else {
            out.append('"').append(node.type().name()).append('"');
        }
        ids(out, "ctrl_deps", node.ctrlDeps());
        ids(out, "data_deps", node.dataDeps());
        if (node.startTimeMicros() != 0) {
            out.append(",\"start_time_micros\":").append(Long.toUnsignedString(node.startTimeMicros()));
        }
        if (node.durationMicros() != 0) {
            out.append(",\"duration_micros\":").append(Long.toUnsignedString(node.durationMicros()));
        }
        node.inputs().ifPresent(io -> io(out, "inputs", io));
        node.outputs().ifPresent(io -> io(out, "outputs", io));
        attributes(out, node.attributes());
        return out.append('}').toString();
    }

    private static void ids(StringBuilder out, String name, long[] ids) {
        if (ids.length == 0) {
            return;
        }
        out.append(",\"").append(name).append("\":");
        char separator = '[';
        for (long id : ids) {
            out.append(separator).append(Long.toUnsignedString(id));
            separator = ',';
        }
        out.append(']');
    }

    private static void io(StringBuilder out, String name, EtIo io) {
        out.append(",\"").append(name).append("\":{\"values\":").append(Json.quoted(io.values()));
        out.append(",\"shapes\":").append(Json.quoted(io.shapes()));
        out.append(",\"types\":").append(Json.quoted(io.types())).append('}');
    }

    private static void attributes(StringBuilder out, List<EtAttribute> attributes) {
        if (attributes.isEmpty()) {
            return;
        }
        out.append(",\"attr\":");
        char separator = '[';
        for (EtAttribute attribute : attributes) {
            out.append(separator).append("{\"name\":").append(Json.quoted(attribute.name()));
            if (!attribute.doc().isEmpty()) {
                out.append(",\"doc_string\":").append(Json.quoted(attribute.doc()));
            }
            value(out, attribute.value());
            out.append('}');
            separator = ',';
        }
        out.append(']');
    }

    private static void value(StringBuilder out, EtValue value) {
        if (value instanceof EtValue.Unset) {
            return;
        }
        out.append(",\"").append(value.kind().label());
        if (!value.isList()) {
            out.append("_val\":");
            single(out, value);
            return;
        }
        out.append("_list\":[");
        String separator = "";
        for (EtValue entry : value.entries()) {
            out.append(separator);
            single(out, entry);
            separator = ",";
        }
        out.append(']');
    }

    private static void single(StringBuilder out, EtValue value) {
        if (value instanceof EtValue.Whole whole) {
            whole(out, whole.kind(), whole.value());
        } else if (value instanceof EtValue.Real real) {
            real(out, real.value());
        } else if (value instanceof EtValue.Text text) {
            out.append(Json.quoted(text.value()));
        } else if (value instanceof EtValue.Blob blob) {
            out.append(Json.quoted(base64(blob)));
        }
    }

    private static void whole(StringBuilder out, EtKind kind, long value) {
        if (kind == EtKind.BOOL) {
            out.append(value != 0);
        } else {
            out.append(kind.isUnsignedLong() ? Long.toUnsignedString(value) : Long.toString(value));
        }
    }

    private static void real(StringBuilder out, double value) {
        out.append(Double.isFinite(value) ? ShortestDouble.of(value) : Json.quoted(ShortestDouble.of(value)));
    }

    private static String base64(EtValue.Blob blob) {
        return Base64.getEncoder().encodeToString(blob.value());
    }
}
