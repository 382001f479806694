package dev.stagesim.io.chakra;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.WireFormat;
import dev.stagesim.model.trace.EtAttribute;
import dev.stagesim.model.trace.EtIo;
import dev.stagesim.model.trace.EtNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Nodes on the wire, schema 0.0.4 and 1.0.0. */
final class NodeCodec {
    private static final int ID = 1;
    private static final int NAME = 2;
    private static final int TYPE = 3;
    private static final int CTRL_DEPS = 4;
    private static final int DATA_DEPS = 5;
    private static final int START = 6;
    private static final int DURATION = 7;
    private static final int INPUTS = 8;
    private static final int OUTPUTS = 9;
    private static final int ATTRIBUTE = 10;
    private static final int VARINT = WireFormat.WIRETYPE_VARINT;
    private static final int BYTES = WireFormat.WIRETYPE_LENGTH_DELIMITED;
    private static final long[] NO_DEPS = {};

    private NodeCodec() {}

    /** Reads the message that is a node. */
    static EtNode read(MessageReader from) throws IOException {
        long id = 0;
        String name = "";
        int type = 0;
        long[] ctrl = NO_DEPS;
        long[] data = NO_DEPS;
        long start = 0;
        long duration = 0;
        Optional<EtIo> inputs = Optional.empty();
        Optional<EtIo> outputs = Optional.empty();
        List<EtAttribute> attributes = new ArrayList<>(4);
        byte[] unknown = MessageReader.none();
        for (int tag = from.tag(); tag != 0; tag = from.tag()) {
            switch (tag) {
                case ID << 3 | VARINT -> id = from.in().readUInt64();
                case NAME << 3 | BYTES -> name = from.name();
                case TYPE << 3 | VARINT -> type = from.in().readEnum();
                case CTRL_DEPS << 3 | VARINT, CTRL_DEPS << 3 | BYTES -> ctrl = from.unsigned(ctrl, tag);
                case DATA_DEPS << 3 | VARINT, DATA_DEPS << 3 | BYTES -> data = from.unsigned(data, tag);
                case START << 3 | VARINT -> start = from.in().readUInt64();
                case DURATION << 3 | VARINT -> duration = from.in().readUInt64();
                case INPUTS << 3 | BYTES -> inputs = Optional.of(IoCodec.read(inputs, from));
                case OUTPUTS << 3 | BYTES -> outputs = Optional.of(IoCodec.read(outputs, from));
                case ATTRIBUTE << 3 | BYTES -> attributes.add(AttributeReader.read(from));
                default -> unknown = from.unknown(unknown, tag);
            }
        }
        return new EtNode(id, name, type, ctrl, data, start, duration, inputs, outputs, attributes, unknown);
    }

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
        Values.writeText(NAME, node.name(), out);
        if (node.typeNumber() != 0) {
            out.writeEnum(TYPE, node.typeNumber());
        }
        writeDeps(CTRL_DEPS, node.ctrlDeps(), out);
        writeDeps(DATA_DEPS, node.dataDeps(), out);
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
