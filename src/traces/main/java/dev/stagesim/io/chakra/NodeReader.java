package dev.stagesim.io.chakra;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.WireFormat;
import dev.stagesim.model.trace.EtAttribute;
import dev.stagesim.model.trace.EtIo;
import dev.stagesim.model.trace.EtNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads a node of schema 0.0.4 or 1.0.0; fields may have any order. */
final class NodeReader {
    private static final int VARINT = WireFormat.WIRETYPE_VARINT;
    private static final int BYTES = WireFormat.WIRETYPE_LENGTH_DELIMITED;

    private long id;
    private String name = "";
    private int type;
    private final MessageReader.Numbers ctrl = new MessageReader.Numbers();
    private final MessageReader.Numbers data = new MessageReader.Numbers();
    private long start;
    private long duration;
    private Optional<EtIo> inputs = Optional.empty();
    private Optional<EtIo> outputs = Optional.empty();
    private final List<EtAttribute> attributes = new ArrayList<>(4);
    private final MessageReader.Unknown unknown = new MessageReader.Unknown();

    private NodeReader() {}

    static EtNode read(MessageReader from) throws IOException {
        NodeReader reader = new NodeReader();
        reader.fields(from);
        return reader.node();
    }

    /** Reads a damaged message up to the first invalid field. */
    static EtNode readBeginning(MessageReader from) throws IOException {
        NodeReader reader = new NodeReader();
        try {
            reader.fields(from);
        } catch (InvalidProtocolBufferException damaged) {
            return reader.node();
        }
        return reader.node();
    }

    private void fields(MessageReader from) throws IOException {
        for (int tag = from.tag(); tag != 0; tag = from.tag()) {
            switch (tag) {
                case NodeWriter.ID << 3 | VARINT -> id = from.in().readUInt64();
                case NodeWriter.NAME << 3 | BYTES -> name = from.name();
                case NodeWriter.TYPE << 3 | VARINT -> type = from.in().readEnum();
                case NodeWriter.CTRL_DEPS << 3 | VARINT, NodeWriter.CTRL_DEPS << 3 | BYTES -> from.unsigned(ctrl, tag);
                case NodeWriter.DATA_DEPS << 3 | VARINT, NodeWriter.DATA_DEPS << 3 | BYTES -> from.unsigned(data, tag);
                case NodeWriter.START << 3 | VARINT -> start = from.in().readUInt64();
                case NodeWriter.DURATION << 3 | VARINT -> duration = from.in().readUInt64();
                case NodeWriter.INPUTS << 3 | BYTES -> inputs = Optional.of(IoCodec.read(inputs, from));
                case NodeWriter.OUTPUTS << 3 | BYTES -> outputs = Optional.of(IoCodec.read(outputs, from));
                case NodeWriter.ATTRIBUTE << 3 | BYTES -> attributes.add(AttributeReader.read(from));
                default -> from.unknown(unknown, tag);
            }
        }
    }

    private EtNode node() {
        return new EtNode(
                id,
                name,
                type,
                ctrl.toArray(),
                data.toArray(),
                start,
                duration,
                inputs,
                outputs,
                attributes,
                unknown.toArray());
    }
}
