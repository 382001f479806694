package dev.stagesim.io.chakra;

import dev.stagesim.model.trace.EtAttribute;
import dev.stagesim.model.trace.EtIo;
import dev.stagesim.model.trace.EtKind;
import dev.stagesim.model.trace.EtMetadata;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.model.trace.EtValue;
import dev.stagesim.model.trace.NodeType;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

/**
 * Prints traces in protobuf's JSON format, byte-identical to the reference's converter.
 *
 * <p>Every message is an object with an indent of two. Objects are concatenated without separators, so the output is
 * not one JSON document. 64-bit numbers are strings, zeros and unknown fields are omitted, and text is escaped ASCII.
 */
public final class EtJson {
    private final JsonBytes json;

    private EtJson(OutputStream out) {
        json = new JsonBytes(out);
    }

    /** Prints a whole trace. Flushes its own buffer but not the stream. */
    public static void write(EtReader trace, OutputStream out) throws IOException {
        trace.requireMetadata();
        EtJson printer = new EtJson(out);
        printer.metadata(trace.metadata());
        for (EtNode node = trace.next(); node != null; node = trace.next()) {
            printer.node(node);
        }
        printer.json.flush();
    }

    private void metadata(EtMetadata metadata) throws IOException {
        json.open('{');
        text(Keys.VERSION, metadata.version());
        attributes(metadata.attributes());
        json.close('}');
    }

    private void node(EtNode node) throws IOException {
        json.open('{');
        unsigned(Keys.ID, node.id());
        text(Keys.NAME, node.name());
        if (node.typeNumber() != 0) {
            json.member(Keys.TYPE);
            if (node.type() == NodeType.UNKNOWN_NODE) {
                json.number((long) node.typeNumber());
            } else {
                json.text(node.type().name());
            }
        }
        dependencies(Keys.CTRL_DEPS, node.ctrlDeps());
        dependencies(Keys.DATA_DEPS, node.dataDeps());
        unsigned(Keys.START_TIME_MICROS, node.startTimeMicros());
        unsigned(Keys.DURATION_MICROS, node.durationMicros());
        if (node.inputs().isPresent()) {
            io(Keys.INPUTS, node.inputs().get());
        }
        if (node.outputs().isPresent()) {
            io(Keys.OUTPUTS, node.outputs().get());
        }
        attributes(node.attributes());
        json.close('}');
    }

    private void text(byte[] key, String value) {
        if (!value.isEmpty()) {
            json.member(key);
            json.text(value);
        }
    }

    private void unsigned(byte[] key, long value) {
        if (value != 0) {
            json.member(key);
            json.quoted(value, true);
        }
    }

    private void dependencies(byte[] key, long[] ids) throws IOException {
        if (ids.length > 0) {
            json.member(key);
            json.open('[');
            for (long id : ids) {
                json.entry();
                json.quoted(id, true);
            }
            json.close(']');
        }
    }

    private void io(byte[] key, EtIo io) throws IOException {
        json.member(key);
        json.open('{');
        text(Keys.VALUES, io.values());
        text(Keys.SHAPES, io.shapes());
        text(Keys.TYPES, io.types());
        json.close('}');
    }

    private void attributes(List<EtAttribute> attributes) throws IOException {
        if (attributes.isEmpty()) {
            return;
        }
        json.member(Keys.ATTR);
        json.open('[');
        for (int i = 0; i < attributes.size(); i++) {
            EtAttribute attribute = attributes.get(i);
            json.entry();
            json.open('{');
            text(Keys.NAME, attribute.name());
            text(Keys.DOC_STRING, attribute.doc());
            value(attribute.value());
            json.close('}');
        }
        json.close(']');
    }

    private void value(EtValue value) throws IOException {
        if (!value.isList()) {
            if (!(value instanceof EtValue.Unset)) {
                json.member(Keys.value(value.kind()));
                single(value);
            }
            return;
        }
        json.member(Keys.list(value.kind()));
        json.open('{');
        List<EtValue> entries = value.entries();
        if (!entries.isEmpty()) {
            json.member(Keys.VALUES);
            json.open('[');
            for (EtValue entry : entries) {
                json.entry();
                single(entry);
            }
            json.close(']');
        }
        json.close('}');
    }

    private void single(EtValue value) {
        if (value instanceof EtValue.Whole whole) {
            whole(whole.kind(), whole.value());
        } else if (value instanceof EtValue.Real real) {
            real(real.kind(), real.value());
        } else if (value instanceof EtValue.Text text) {
            json.text(text.value());
        } else if (value instanceof EtValue.Blob blob) {
            json.blob(blob.value());
        }
    }

    private void whole(EtKind kind, long value) {
        switch (kind) {
            case BOOL -> json.bool(value != 0);
            case INT64, UINT64, SINT64, FIXED64, SFIXED64 -> json.quoted(value, kind.isUnsignedLong());
            default -> json.number(value);
        }
    }

    private void real(EtKind kind, double value) {
        if (kind == EtKind.FLOAT) {
            json.number((float) value);
        } else {
            json.number(value);
        }
    }

    /** Field names in encoded form. */
    private static final class Keys {
        static final byte[] TYPE = JsonBytes.key("type");
        static final byte[] ATTR = JsonBytes.key("attr");
        static final byte[] VALUES = JsonBytes.key("values");
        static final byte[] VERSION = JsonBytes.key("version");
        static final byte[] ID = JsonBytes.key("id");
        static final byte[] NAME = JsonBytes.key("name");
        static final byte[] CTRL_DEPS = JsonBytes.key("ctrlDeps");
        static final byte[] DATA_DEPS = JsonBytes.key("dataDeps");
        static final byte[] START_TIME_MICROS = JsonBytes.key("startTimeMicros");
        static final byte[] DURATION_MICROS = JsonBytes.key("durationMicros");
        static final byte[] INPUTS = JsonBytes.key("inputs");
        static final byte[] OUTPUTS = JsonBytes.key("outputs");
        static final byte[] SHAPES = JsonBytes.key("shapes");
        static final byte[] TYPES = JsonBytes.key("types");
        static final byte[] DOC_STRING = JsonBytes.key("docString");
        private static final byte[][] ONE = new byte[EtKind.values().length][];
        private static final byte[][] MANY = new byte[EtKind.values().length][];

        static {
            for (EtKind kind : EtKind.values()) {
                ONE[kind.ordinal()] = JsonBytes.key(kind.label() + "Val");
                MANY[kind.ordinal()] = JsonBytes.key(kind.label() + "List");
            }
        }

        static byte[] value(EtKind kind) {
            return ONE[kind.ordinal()];
        }

        static byte[] list(EtKind kind) {
            return MANY[kind.ordinal()];
        }
    }
}
