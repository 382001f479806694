package dev.stagesim.io.chakra;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.WireFormat;
import dev.stagesim.model.trace.EtIo;
import java.io.IOException;
import java.util.Optional;

/** Inputs and outputs of nodes on the wire. */
final class IoCodec {
    private static final int VALUES = 1;
    private static final int SHAPES = 2;
    private static final int TYPES = 3;
    private static final int BYTES = WireFormat.WIRETYPE_LENGTH_DELIMITED;

    private IoCodec() {}

    /** Reads a piece, its tag having been read; a later piece replaces the fields it has. */
    static EtIo read(Optional<EtIo> before, MessageReader from) throws IOException {
        int outer = from.enter();
        String values = before.map(EtIo::values).orElse("");
        String shapes = before.map(EtIo::shapes).orElse("");
        String types = before.map(EtIo::types).orElse("");
        byte[] unknown = before.map(EtIo::unknown).orElse(MessageReader.none());
        for (int tag = from.tag(); tag != 0; tag = from.tag()) {
            switch (tag) {
                case VALUES << 3 | BYTES -> values = from.text();
                case SHAPES << 3 | BYTES -> shapes = from.text();
                case TYPES << 3 | BYTES -> types = from.text();
                default -> unknown = from.unknown(unknown, tag);
            }
        }
        from.leave(outer);
        return new EtIo(values, shapes, types, unknown);
    }

    static int size(EtIo io) {
        return Values.textSize(VALUES, io.values())
                + Values.textSize(SHAPES, io.shapes())
                + Values.textSize(TYPES, io.types())
                + io.unknown().length;
    }

    static void write(int field, EtIo io, CodedOutputStream out) throws IOException {
        out.writeTag(field, BYTES);
        out.writeUInt32NoTag(size(io));
        Values.writeText(VALUES, io.values(), out);
        Values.writeText(SHAPES, io.shapes(), out);
        Values.writeText(TYPES, io.types(), out);
        out.writeRawBytes(io.unknown());
    }
}
