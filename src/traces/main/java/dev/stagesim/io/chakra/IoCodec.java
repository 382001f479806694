package dev.stagesim.io.chakra;

import com.google.protobuf.WireFormat;
import dev.stagesim.model.trace.EtIo;
import java.io.IOException;
import java.util.Optional;

/** Wire format of node inputs and outputs. */
final class IoCodec {
    static final int VALUES = 1;
    static final int SHAPES = 2;
    static final int TYPES = 3;
    private static final int BYTES = WireFormat.WIRETYPE_LENGTH_DELIMITED;

    private IoCodec() {}

    /**
     * Reads one occurrence; its fields replace those of {@code before}. The caller has already read the
     * tag.
     */
    static EtIo read(Optional<EtIo> before, MessageReader from) throws IOException {
        int outer = from.enter();
        String values = before.map(EtIo::values).orElse("");
        String shapes = before.map(EtIo::shapes).orElse("");
        String types = before.map(EtIo::types).orElse("");
        MessageReader.Unknown unknown =
                new MessageReader.Unknown(before.map(EtIo::unknown).orElse(new byte[0]));
        for (int tag = from.tag(); tag != 0; tag = from.tag()) {
            switch (tag) {
                case VALUES << 3 | BYTES -> values = from.text();
                case SHAPES << 3 | BYTES -> shapes = from.text();
                case TYPES << 3 | BYTES -> types = from.text();
                default -> from.unknown(unknown, tag);
            }
        }
        from.leave(outer);
        return new EtIo(values, shapes, types, unknown.toArray());
    }
}
