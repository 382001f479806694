package dev.stagesim.io.chakra;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.WireFormat;
import dev.stagesim.model.trace.EtAttribute;
import dev.stagesim.model.trace.EtMetadata;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The first message on the wire. */
final class MetadataCodec {
    private static final int VERSION = 1;
    private static final int ATTRIBUTE = 2;
    private static final int BYTES = WireFormat.WIRETYPE_LENGTH_DELIMITED;

    private MetadataCodec() {}

    static EtMetadata read(MessageReader from) throws IOException {
        String version = "";
        List<EtAttribute> attributes = new ArrayList<>();
        byte[] unknown = MessageReader.none();
        for (int tag = from.tag(); tag != 0; tag = from.tag()) {
            switch (tag) {
                case VERSION << 3 | BYTES -> version = from.text();
                case ATTRIBUTE << 3 | BYTES -> attributes.add(AttributeReader.read(from));
                default -> unknown = from.unknown(unknown, tag);
            }
        }
        return new EtMetadata(version, attributes, unknown);
    }

    static int size(EtMetadata metadata) {
        int size = Values.textSize(VERSION, metadata.version()) + metadata.unknown().length;
        for (EtAttribute attribute : metadata.attributes()) {
            int inner = AttributeWriter.size(attribute);
            size += 1 + CodedOutputStream.computeUInt32SizeNoTag(inner) + inner;
        }
        return size;
    }

    static void write(EtMetadata metadata, CodedOutputStream out) throws IOException {
        Values.writeText(VERSION, metadata.version(), out);
        for (EtAttribute attribute : metadata.attributes()) {
            out.writeTag(ATTRIBUTE, BYTES);
            out.writeUInt32NoTag(AttributeWriter.size(attribute));
            AttributeWriter.write(attribute, out);
        }
        out.writeRawBytes(metadata.unknown());
    }
}
