package dev.stagesim.model.trace;

import java.util.Arrays;
import java.util.List;

/**
 * Metadata of a Chakra execution trace: the first protobuf message of the file.
 *
 * @param version schema version, usually empty
 * @param attributes properties of the trace in file order
 * @param unknown encoded fields that the schema does not define, copied without changes
 */
public record EtMetadata(String version, List<EtAttribute> attributes, byte[] unknown) {
    /** Metadata without content. */
    public static final EtMetadata EMPTY = new EtMetadata("", List.of());

    public EtMetadata {
        attributes = List.copyOf(attributes);
    }

    public EtMetadata(String version, List<EtAttribute> attributes) {
        this(version, attributes, new byte[0]);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof EtMetadata that
                && version.equals(that.version)
                && attributes.equals(that.attributes)
                && Arrays.equals(unknown, that.unknown);
    }

    @Override
    public int hashCode() {
        return 31 * version.hashCode() + attributes.hashCode();
    }
}
