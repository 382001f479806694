package dev.stagesim.io.chakra;

import dev.stagesim.model.trace.EtAttribute;
import dev.stagesim.model.trace.EtIo;
import dev.stagesim.model.trace.EtNode;
import java.util.List;

/** Writes nodes of schemas 0.0.4 and 1.0.0: fields in numeric order, zeros omitted. */
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

    private NodeWriter() {}

    static void write(EtNode node, WireWriter out) {
        out.nonZero(ID, node.id());
        writeHead(node, out);
        writeDeps(CTRL_DEPS, node.ctrlDeps(), 0, out);
        writeDeps(DATA_DEPS, node.dataDeps(), 0, out);
        writeTail(node, out);
    }

    /** Writes the fields between the id and the dependencies. */
    static void writeHead(EtNode node, WireWriter out) {
        out.nonEmpty(NAME, node.name());
        out.nonZero(TYPE, node.typeNumber());
    }

    /** Writes ids, each shifted by {@code shift}. */
    static void writeDeps(int field, long[] ids, long shift, WireWriter out) {
        if (ids.length > 0) {
            int begun = out.begin(field);
            for (long id : ids) {
                out.varint(id + shift);
            }
            out.end(begun);
        }
    }

    /** Writes the fields after the dependencies. */
    static void writeTail(EtNode node, WireWriter out) {
        out.nonZero(START, node.startTimeMicros());
        out.nonZero(DURATION, node.durationMicros());
        if (node.inputs().isPresent()) {
            io(INPUTS, node.inputs().get(), out);
        }
        if (node.outputs().isPresent()) {
            io(OUTPUTS, node.outputs().get(), out);
        }
        List<EtAttribute> attributes = node.attributes();
        for (int i = 0; i < attributes.size(); i++) {
            AttributeWriter.write(ATTRIBUTE, attributes.get(i), out);
        }
        out.raw(node.unknown());
    }

    private static void io(int field, EtIo io, WireWriter out) {
        int begun = out.begin(field);
        out.nonEmpty(IoCodec.VALUES, io.values());
        out.nonEmpty(IoCodec.SHAPES, io.shapes());
        out.nonEmpty(IoCodec.TYPES, io.types());
        out.raw(io.unknown());
        out.end(begun);
    }
}
