package dev.stagesim.io.chakra;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.WireFormat;
import dev.stagesim.model.trace.LegacyField;
import dev.stagesim.model.trace.LegacyNode;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads a trace of schema 0.0.1 ({@code .eg}) node by node, with the same error checks as {@link EtReader}. */
public final class LegacyReader implements Closeable {
    private static final int VARINT = WireFormat.WIRETYPE_VARINT;
    private static final int BYTES = WireFormat.WIRETYPE_LENGTH_DELIMITED;

    private final Frames frames;
    private final NameCache names = new NameCache();

    private LegacyReader(Frames frames) {
        this.frames = frames;
    }

    public static LegacyReader open(Path file) throws IOException {
        return new LegacyReader(Frames.open(file));
    }

    /** Returns the next node in file order, or null at the end of the file. */
    public @Nullable LegacyNode next() throws IOException {
        if (!frames.next()) {
            return null;
        }
        MessageReader message = new MessageReader(frames.message(), frames.messageLength(), names);
        try {
            return node(message);
        } catch (InvalidProtocolBufferException damaged) {
            throw frames.broken(message.position(), "no node of schema 0.0.1: " + Values.reason(damaged));
        }
    }

    private LegacyNode node(MessageReader from) throws IOException {
        Optional<Long> id = Optional.empty();
        Optional<String> name = Optional.empty();
        int type = 0;
        MessageReader.Numbers parents = new MessageReader.Numbers();
        MessageReader.Numbers dims = new MessageReader.Numbers();
        Map<LegacyField, Long> numbers = new EnumMap<>(LegacyField.class);
        MessageReader.Unknown unknown = new MessageReader.Unknown();
        for (int tag = from.tag(); tag != 0; tag = from.tag()) {
            Optional<LegacyField> field = LegacyField.ofField(WireFormat.getTagFieldNumber(tag));
            if (field.isPresent() && WireFormat.getTagWireType(tag) == VARINT) {
                long value = from.in().readUInt64();
                numbers.put(field.get(), field.get().isShort() ? value & 0xffffffffL : value);
                continue;
            }
            switch (tag) {
                case LegacyWriter.ID << 3 | VARINT -> id = Optional.of(from.in().readUInt64());
                case LegacyWriter.NAME << 3 | BYTES -> name = Optional.of(from.name());
                case LegacyWriter.TYPE << 3 | VARINT -> type = from.in().readEnum();
                case LegacyWriter.PARENT << 3 | VARINT, LegacyWriter.PARENT << 3 | BYTES -> from.unsigned(parents, tag);
                case LegacyWriter.INVOLVED_DIM << 3 | VARINT, LegacyWriter.INVOLVED_DIM << 3 | BYTES ->
                    from.unsigned(dims, tag);
                default -> from.unknown(unknown, tag);
            }
        }
        if (id.isEmpty() || name.isEmpty()) {
            throw frames.broken("a node of schema 0.0.1 has an id and a name");
        }
        return new LegacyNode(
                id.get(), name.get(), type, parents.toArray(), numbers, truths(dims.toArray()), unknown.toArray());
    }

    private static boolean[] truths(long[] values) {
        boolean[] all = new boolean[values.length];
        for (int i = 0; i < values.length; i++) {
            all[i] = values[i] != 0;
        }
        return all;
    }

    @Override
    public void close() throws IOException {
        frames.close();
    }
}
