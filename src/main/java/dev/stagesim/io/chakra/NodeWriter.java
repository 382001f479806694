package dev.stagesim.io.chakra;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.WireFormat;
import dev.stagesim.model.trace.EtAttribute;
import dev.stagesim.model.trace.EtNode;
import java.io.IOException;
import java.util.List;

/** Writes nodes of schema 0.0.4 and 1.0.0: fields in the order of their numbers, zeros left out. */
final class NodeWriter {
    static final int ID = 1;
    static final int NAME = 2;
    static final int TYPE = 3;
    static final int CTRL_DEPS = 4;
    static final int DATA_DEPS = 5;
    static final int START = 6;
    static final int DURATION = 7;
    static final int INPUTS = 8;
    static final int OUTPUTS = 9;
    static final int ATTRIBUTE = 10;
    private static final int BYTES = WireFormat.WIRETYPE_LENGTH_DELIMITED;

    private NodeWriter() {}

    /** Bytes of a node without its length. */
    static int size(EtNode node) {
        int size = unsignedSize(ID, node.id()) + Values.textSize(NAME, node.name());
        if (node.typeNumber() != 0) {
            size += CodedOutputStream.computeEnumSize(TYPE, node.typeNumber());
        }
        size += depsSize(node.ctrlDeps()) + depsSize(node.dataDeps());
        size += unsignedSize(START, node.startTimeMicros()) + unsignedSize(DURATION, node.durationMicros());
        if (node.inputs().isPresent()) {
            size += framed(IoCodec.size(node.inputs().get()));
        }
        if (node.outputs().isPresent()) {
            size += framed(IoCodec.size(node.outputs().get()));
        }
        List<EtAttribute> attributes = node.attributes();
        for (int i = 0; i < attributes.size(); i++) {
            size += framed(AttributeWriter.size(attributes.get(i)));
        }
        return size + node.unknown().length;
    }

    private static int unsignedSize(int field, long value) {
        return value == 0 ? 0 : CodedOutputStream.computeUInt64Size(field, value);
    }

    private static int depsSize(long[] ids) {
        return ids.length == 0 ? 0 : framed(packedSize(ids));
    }

    private static int packedSize(long[] ids) {
        int size = 0;
        for (long id : ids) {
            size += CodedOutputStream.computeUInt64SizeNoTag(id);
        }
        return size;
    }

    /** With a tag of one byte, as all fields of a node have, and the length. */
    private static int framed(int size) {
        return 1 + CodedOutputStream.computeUInt32SizeNoTag(size) + size;
    }

    /** Writes what {@link #size} counts. */
    static void write(EtNode node, CodedOutputStream out) throws IOException {
        writeUnsigned(ID, node.id(), out);
        writeHead(node, out);
        writeDeps(CTRL_DEPS, node.ctrlDeps(), out);
        writeDeps(DATA_DEPS, node.dataDeps(), out);
        writeTail(node, out);
    }

    /** Writes what is between the identity and the dependencies. */
    static void writeHead(EtNode node, CodedOutputStream out) throws IOException {
        Values.writeText(NAME, node.name(), out);
        if (node.typeNumber() != 0) {
            out.writeEnum(TYPE, node.typeNumber());
        }
    }

    /** Writes what follows the dependencies. */
    static void writeTail(EtNode node, CodedOutputStream out) throws IOException {
        writeUnsigned(START, node.startTimeMicros(), out);
        writeUnsigned(DURATION, node.durationMicros(), out);
        if (node.inputs().isPresent()) {
            IoCodec.write(INPUTS, node.inputs().get(), out);
        }
        if (node.outputs().isPresent()) {
            IoCodec.write(OUTPUTS, node.outputs().get(), out);
        }
        List<EtAttribute> attributes = node.attributes();
        for (int i = 0; i < attributes.size(); i++) {
            out.writeTag(ATTRIBUTE, BYTES);
            out.writeUInt32NoTag(AttributeWriter.size(attributes.get(i)));
            AttributeWriter.write(attributes.get(i), out);
        }
        out.writeRawBytes(node.unknown());
    }

    private static void writeUnsigned(int field, long value, CodedOutputStream out) throws IOException {
        if (value != 0) {
            out.writeUInt64(field, value);
        }
    }

    private static void writeDeps(int field, long[] ids, CodedOutputStream out) throws IOException {
        if (ids.length > 0) {
            out.writeTag(field, BYTES);
            out.writeUInt32NoTag(packedSize(ids));
            for (long id : ids) {
                out.writeUInt64NoTag(id);
            }
        }
    }
}
