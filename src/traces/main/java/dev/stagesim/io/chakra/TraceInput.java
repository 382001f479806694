package dev.stagesim.io.chakra;

import dev.stagesim.model.trace.CollectiveType;
import dev.stagesim.model.trace.EtAttribute;
import dev.stagesim.model.trace.EtMetadata;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.model.trace.LegacyField;
import dev.stagesim.model.trace.LegacyNode;
import dev.stagesim.model.trace.NodeType;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads a trace of any schema node by node.
 *
 * <p>A file name that ends in {@code .eg} or {@code .eg.gz} means schema 0.0.1; its nodes are converted to the later
 * schemas. Any other file has schema 0.0.4 or 1.0.0.
 */
public final class TraceInput implements Closeable {
    private static final int LEGACY_SHIFT = 1;

    private final Optional<EtReader> later;
    private final Optional<LegacyReader> legacy;

    private TraceInput(Optional<EtReader> later, Optional<LegacyReader> legacy) {
        this.later = later;
        this.legacy = legacy;
    }

    /** Opens a file; decompresses it if it begins with the gzip signature. */
    public static TraceInput open(Path file) throws IOException {
        return isLegacy(file)
                ? new TraceInput(Optional.empty(), Optional.of(LegacyReader.open(file)))
                : new TraceInput(Optional.of(EtReader.open(file)), Optional.empty());
    }

    /** True if the file name denotes schema 0.0.1. */
    public static boolean isLegacy(Path file) {
        String name = String.valueOf(file.getFileName());
        return name.endsWith(".eg") || name.endsWith(".eg.gz");
    }

    /** Metadata of the trace; empty for schema 0.0.1, which has none. */
    public EtMetadata metadata() {
        return later.map(EtReader::metadata).orElse(EtMetadata.EMPTY);
    }

    public boolean hasMetadata() {
        return later.map(EtReader::hasMetadata).orElse(true);
    }

    /** Returns the next node in file order, or null at the end. */
    public @Nullable EtNode next() throws IOException {
        if (later.isPresent()) {
            return later.get().next();
        }
        LegacyNode node = legacy.orElseThrow().next();
        return node == null ? null : converted(node);
    }

    private static EtNode converted(LegacyNode node) {
        List<EtAttribute> attributes = new ArrayList<>();
        node.numbers().forEach((field, value) -> {
            if (field == LegacyField.COMM_TYPE) {
                collective(value).ifPresent(type -> attributes.add(EtAttribute.ofLong("comm_type", type.number())));
            } else if (field == LegacyField.SIMULATED_RUN_TIME) {
                // The duration is set below.
            } else if (field.isShort() && field != LegacyField.COMM_SIZE) {
                attributes.add(EtAttribute.ofInt(field.label(), value.intValue()));
            } else {
                attributes.add(EtAttribute.ofLong(field.label(), value));
            }
        });
        if (node.involvedDims().length > 0) {
            attributes.add(EtAttribute.ofBools("involved_dim", node.involvedDims()));
        }
        return EtNode.of(node.id(), node.name(), type(node.typeNumber()))
                .withDataDeps(node.parents())
                .withDuration(node.numbers().getOrDefault(LegacyField.SIMULATED_RUN_TIME, 0L))
                .withAttributes(attributes);
    }

    private static Optional<CollectiveType> collective(long number) {
        for (CollectiveType type : CollectiveType.values()) {
            if (number > 0 && LegacyField.collective(Optional.of(type)) == number) {
                return Optional.of(type);
            }
        }
        return Optional.empty();
    }

    /** Type numbers increased by one when metadata nodes were added to the schema. */
    private static NodeType type(int number) {
        NodeType type = number == 0 ? NodeType.INVALID_NODE : NodeType.of(number + LEGACY_SHIFT);
        return type == NodeType.UNKNOWN_NODE ? NodeType.INVALID_NODE : type;
    }

    @Override
    public void close() throws IOException {
        if (later.isPresent()) {
            later.get().close();
        } else {
            legacy.orElseThrow().close();
        }
    }
}
