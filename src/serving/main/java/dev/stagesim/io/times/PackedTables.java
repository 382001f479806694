package dev.stagesim.io.times;

import dev.stagesim.io.json.JsonValue;
import dev.stagesim.predict.Operator;
import dev.stagesim.predict.PredictionTable;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32;

/**
 * Prediction tables in a compact form that loads in milliseconds: a checksum, the origin of the data, and for each operator
 * its name, the ends of its rows and its times.
 */
final class PackedTables implements Packing<List<PredictionTable>> {
    private static final int ROW_BYTES = 4 * Integer.BYTES + Double.BYTES;

    @Override
    public String fileName() {
        return "times.bin";
    }

    @Override
    public JsonValue summary(List<PredictionTable> tables) {
        return JsonValue.strings(
                tables.stream().map(table -> table.operator().column()).toList());
    }

    @Override
    public byte[] pack(String origin, List<PredictionTable> tables) {
        int size = Long.BYTES + textSize(origin) + Integer.BYTES;
        for (PredictionTable table : tables) {
            size += textSize(table.operator().name()) + Integer.BYTES + ROW_BYTES * table.rows();
        }
        ByteBuffer out = ByteBuffer.allocate(size);
        out.putLong(0);
        put(out, origin);
        out.putInt(tables.size());
        tables.forEach(table -> put(out, table));
        out.putLong(0, checksum(out.array()));
        return out.array();
    }

    @Override
    public Optional<List<PredictionTable>> unpack(String origin, byte[] content) {
        ByteBuffer in = ByteBuffer.wrap(content);
        try {
            if (in.getLong() != checksum(content) || !text(in).equals(origin)) {
                return Optional.empty();
            }
            int count = in.getInt();
            List<PredictionTable> tables = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                tables.add(table(in));
            }
            return Optional.of(tables);
        } catch (BufferUnderflowException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static long checksum(byte[] content) {
        CRC32 crc = new CRC32();
        crc.update(content, Long.BYTES, Math.max(0, content.length - Long.BYTES));
        return crc.getValue();
    }

    private static int textSize(String text) {
        return Integer.BYTES + text.getBytes(StandardCharsets.UTF_8).length;
    }

    private static void put(ByteBuffer out, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.putInt(bytes.length).put(bytes);
    }

    private static String text(ByteBuffer in) {
        int length = in.getInt();
        if (length < 0 || length > in.remaining()) {
            throw new IllegalArgumentException("a text of " + length + " bytes");
        }
        byte[] bytes = new byte[length];
        in.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static void put(ByteBuffer out, PredictionTable table) {
        put(out, table.operator().name());
        out.putInt(table.rows());
        for (int i = 0; i < table.rows(); i++) {
            out.putInt(table.from(i)).putInt(table.to(i));
            out.putInt(table.secondFrom(i)).putInt(table.secondTo(i));
            out.putDouble(table.milliseconds(i));
        }
    }

    private static PredictionTable table(ByteBuffer in) {
        PredictionTable table = new PredictionTable(Operator.valueOf(text(in)));
        int rows = in.getInt();
        for (int i = 0; i < rows; i++) {
            table.add(in.getInt(), in.getInt(), in.getInt(), in.getInt(), in.getDouble());
        }
        return table;
    }
}
