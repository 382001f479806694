package dev.stagesim.io.chakra;

import com.google.protobuf.CodedOutputStream;
import dev.stagesim.model.trace.LegacyField;
import dev.stagesim.model.trace.LegacyNode;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;

/**
 * Writes a trace of schema 0.0.1 ({@code .eg}), byte for byte as the reference does.
 *
 * <p>There are no metadata; lists are not packed, and numbers are written when they are there, zero or not.
 */
public final class LegacyWriter implements Closeable {
    private static final int BUFFER = 1 << 16;
    static final int ID = 1;
    static final int NAME = 2;
    static final int TYPE = 3;
    static final int PARENT = 4;
    static final int INVOLVED_DIM = 14;

    private final OutputStream out;
    private final CodedOutputStream coded;

    /** Writes to a stream, which is closed with the writer. */
    public LegacyWriter(OutputStream out) {
        this.out = out;
        coded = CodedOutputStream.newInstance(out, BUFFER);
    }

    /** Writes the next node. */
    public void write(LegacyNode node) throws IOException {
        coded.writeUInt32NoTag(size(node));
        coded.writeUInt64(ID, node.id());
        coded.writeString(NAME, node.name());
        coded.writeEnum(TYPE, node.typeNumber());
        for (long parent : node.parents()) {
            coded.writeUInt64(PARENT, parent);
        }
        boolean isBefore = true;
        for (Map.Entry<LegacyField, Long> number : node.numbers().entrySet()) {
            int field = number.getKey().field();
            if (isBefore && field > INVOLVED_DIM) {
                dims(node);
                isBefore = false;
            }
            coded.writeUInt64(field, number.getValue());
        }
        if (isBefore) {
            dims(node);
        }
        coded.writeRawBytes(node.unknown());
    }

    private void dims(LegacyNode node) throws IOException {
        for (boolean isInvolved : node.involvedDims()) {
            coded.writeBool(INVOLVED_DIM, isInvolved);
        }
    }

    private static int size(LegacyNode node) {
        int size = CodedOutputStream.computeUInt64Size(ID, node.id())
                + CodedOutputStream.computeStringSize(NAME, node.name())
                + CodedOutputStream.computeEnumSize(TYPE, node.typeNumber())
                + node.involvedDims().length * CodedOutputStream.computeBoolSize(INVOLVED_DIM, true)
                + node.unknown().length;
        for (long parent : node.parents()) {
            size += CodedOutputStream.computeUInt64Size(PARENT, parent);
        }
        for (Map.Entry<LegacyField, Long> number : node.numbers().entrySet()) {
            size += CodedOutputStream.computeUInt64Size(number.getKey().field(), number.getValue());
        }
        return size;
    }

    @Override
    public void close() throws IOException {
        try (out) {
            coded.flush();
        }
    }
}
