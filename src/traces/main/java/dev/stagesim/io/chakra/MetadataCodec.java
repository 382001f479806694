package dev.stagesim.io.chakra;

import com.google.protobuf.WireFormat;
import dev.stagesim.model.trace.EtAttribute;
import dev.stagesim.model.trace.EtMetadata;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Wire format of the metadata, the first message of a trace. */
final class MetadataCodec {
    private static final int VERSION = 1;
    private static final int ATTRIBUTE = 2;
    private static final int BYTES = WireFormat.WIRETYPE_LENGTH_DELIMITED;

    private MetadataCodec() {}

    static EtMetadata read(MessageReader from) throws IOException {
        String version = "";
        List<EtAttribute> attributes = new ArrayList<>();
        MessageReader.Unknown unknown = new MessageReader.Unknown();
        for (int tag = from.tag(); tag != 0; tag = from.tag()) {
            switch (tag) {
                case VERSION << 3 | BYTES -> version = from.text();
                case ATTRIBUTE << 3 | BYTES -> attributes.add(AttributeReader.read(from));
                default -> from.unknown(unknown, tag);
            }
        }
        return new EtMetadata(version, attributes, unknown.toArray());
    }

    static void write(EtMetadata metadata, WireWriter out) {
        out.nonEmpty(VERSION, metadata.version());
        metadata.attributes().forEach(attribute -> AttributeWriter.write(ATTRIBUTE, attribute, out));
        out.raw(metadata.unknown());
    }
}
