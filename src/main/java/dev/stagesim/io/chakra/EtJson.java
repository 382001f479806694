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
 * Prints traces in protobuf's JSON form, byte for byte as the reference's converter does.
 *
 * <p>Every message is an object with an indent of two; objects follow each other without anything between, so the whole is no JSON
 * document. 64-bit numbers are texts, zeros and unknown fields are left out, and text is ASCII with escapes.
 */
public final class EtJson {
    private final JsonBytes json;

    private EtJson(OutputStream out) {
        json = new JsonBytes(out);
    }

    /**
     * Prints a whole trace and flushes nothing but its own buffer.
     *
     * @throws dev.stagesim.model.StageException of kind input when the trace is damaged or lacks its metadata
     */
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
        text("version", metadata.version());
        attributes(metadata.attributes());
        json.close('}');
    }

    private void node(EtNode node) throws IOException {
        json.open('{');
        unsigned("id", node.id());
        text("name", node.name());
        if (node.typeNumber() != 0) {
            json.key("type");
            if (node.type() == NodeType.UNKNOWN_NODE) {
                json.number((long) node.typeNumber());
            } else {
                json.text(node.type().name());
            }
        }
        dependencies("ctrlDeps", node.ctrlDeps());
        dependencies("dataDeps", node.dataDeps());
        unsigned("startTimeMicros", node.startTimeMicros());
        unsigned("durationMicros", node.durationMicros());
        if (node.inputs().isPresent()) {
            io("inputs", node.inputs().get());
        }
        if (node.outputs().isPresent()) {
            io("outputs", node.outputs().get());
        }
        attributes(node.attributes());
        json.close('}');
    }

    private void text(String key, String value) {
        if (!value.isEmpty()) {
            json.key(key);
            json.text(value);
        }
    }

    private void unsigned(String key, long value) {
        if (value != 0) {
            json.key(key);
            json.quoted(value, true);
        }
    }

    private void dependencies(String key, long[] ids) throws IOException {
        if (ids.length > 0) {
            json.key(key);
            json.open('[');
            for (long id : ids) {
                json.entry();
                json.quoted(id, true);
            }
            json.close(']');
        }
    }

    private void io(String key, EtIo io) throws IOException {
        json.key(key);
        json.open('{');
        text("values", io.values());
        text("shapes", io.shapes());
        text("types", io.types());
        json.close('}');
    }

    private void attributes(List<EtAttribute> attributes) throws IOException {
        if (attributes.isEmpty()) {
            return;
        }
        json.key("attr");
        json.open('[');
        for (int i = 0; i < attributes.size(); i++) {
            EtAttribute attribute = attributes.get(i);
            json.entry();
            json.open('{');
            text("name", attribute.name());
            text("docString", attribute.doc());
            value(attribute.value());
            json.close('}');
        }
        json.close(']');
    }

    private void value(EtValue value) throws IOException {
        if (value instanceof EtValue.Whole whole) {
            json.key(Keys.value(whole.kind()));
            whole(whole.kind(), whole.value());
        } else if (value instanceof EtValue.Real real) {
            json.key(Keys.value(real.kind()));
            real(real.kind(), real.value());
        } else if (value instanceof EtValue.Text text) {
            json.key(Keys.value(EtKind.STRING));
            json.text(text.value());
        } else if (value instanceof EtValue.Blob blob) {
            json.key(Keys.value(EtKind.BYTES));
            json.blob(blob.value());
        } else if (!(value instanceof EtValue.Unset)) {
            list(value);
        }
    }

    private void list(EtValue list) throws IOException {
        if (list instanceof EtValue.Wholes wholes) {
            begin(wholes.kind(), wholes.values().length);
            for (long value : wholes.values()) {
                json.entry();
                whole(wholes.kind(), value);
            }
            end(wholes.values().length);
        } else if (list instanceof EtValue.Reals reals) {
            begin(reals.kind(), reals.values().length);
            for (double value : reals.values()) {
                json.entry();
                real(reals.kind(), value);
            }
            end(reals.values().length);
        } else if (list instanceof EtValue.Texts texts) {
            begin(EtKind.STRING, texts.values().size());
            for (String value : texts.values()) {
                json.entry();
                json.text(value);
            }
            end(texts.values().size());
        } else if (list instanceof EtValue.Blobs blobs) {
            begin(EtKind.BYTES, blobs.values().size());
            for (EtValue.Blob value : blobs.values()) {
                json.entry();
                json.blob(value.value());
            }
            end(blobs.values().size());
        }
    }

    private void begin(EtKind kind, int count) {
        json.key(Keys.list(kind));
        json.open('{');
        if (count > 0) {
            json.key("values");
            json.open('[');
        }
    }

    private void end(int count) throws IOException {
        if (count > 0) {
            json.close(']');
        }
        json.close('}');
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

    /** Names of the fields that hold values. */
    private static final class Keys {
        private static final String[] VALUES = new String[EtKind.values().length];
        private static final String[] LISTS = new String[EtKind.values().length];

        static {
            for (EtKind kind : EtKind.values()) {
                VALUES[kind.ordinal()] = kind.label() + "Val";
                LISTS[kind.ordinal()] = kind.label() + "List";
            }
        }

        static String value(EtKind kind) {
            return VALUES[kind.ordinal()];
        }

        static String list(EtKind kind) {
            return LISTS[kind.ordinal()];
        }
    }
}
