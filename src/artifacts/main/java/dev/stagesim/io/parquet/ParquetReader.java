package dev.stagesim.io.parquet;

import dev.stagesim.contract.ColumnType;
import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.ByteArrayInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPInputStream;

/**
 * Reads a table written by {@link ParquetWriter} row by row, with one encoded row group in memory. A damaged file or an
 * unsupported feature of the format is an input error.
 */
public final class ParquetReader implements Closeable {
    private static final int ENDING = 8;

    private final Path file;
    private final SeekableByteChannel in;
    private final List<Field> fields;
    private final List<ThriftFields> groups;
    private final long rows;
    private List<ColumnCursor> cursors = List.of();
    private int group;
    private long remaining;

    private record Field(String name, ColumnType type, boolean isNullable) {}

    private ParquetReader(Path file, SeekableByteChannel in) throws IOException {
        this.file = file;
        this.in = in;
        long size = in.size();
        if (size < ENDING + Format.MAGIC.length()) {
            throw new IOException("the file is truncated");
        }
        byte[] ending = bytes(size - ENDING, ENDING);
        if (!Format.MAGIC.equals(new String(ending, Integer.BYTES, Integer.BYTES, StandardCharsets.US_ASCII))) {
            throw new IOException("the file does not end with " + Format.MAGIC);
        }
        long length = new Input(ending).le(Integer.BYTES);
        ThriftFields footer = ThriftFields.read(new Input(bytes(size - ENDING - length, length)));
        this.rows = footer.number(3);
        this.groups = footer.structs(4);
        this.fields = fields(footer.structs(2));
    }

    private static List<Field> fields(List<ThriftFields> schema) throws IOException {
        List<Field> fields = new ArrayList<>();
        for (ThriftFields element : schema.subList(Math.min(1, schema.size()), schema.size())) {
            fields.add(new Field(element.text(4), type(element.number(1)), element.number(3) == Format.OPTIONAL));
        }
        return fields;
    }

    private static ColumnType type(long physical) throws IOException {
        return Arrays.stream(ColumnType.values())
                .filter(type -> Format.physical(type) == physical)
                .findFirst()
                .orElseThrow(() -> new IOException("a column has the unsupported physical type " + physical));
    }

    public static ParquetReader open(Path file) throws IOException {
        SeekableByteChannel in = InputFile.channel(file);
        try {
            return new ParquetReader(file, in);
        } catch (IOException damaged) {
            in.close();
            throw damaged(file, damaged);
        }
    }

    /** Returns the number of rows that the footer of a file states. */
    public static long rows(Path file) throws IOException {
        try (ParquetReader reader = open(file)) {
            return reader.rows;
        }
    }

    private static StageException damaged(Path file, IOException why) {
        return StageException.input(
                Problem.artifact(file.toString(), "is damaged or was not written by stagesim: " + why.getMessage()),
                why);
    }

    private byte[] bytes(long from, long count) throws IOException {
        if (from < 0 || count < 0 || count > in.size() - from || count > Integer.MAX_VALUE - 8) {
            throw new IOException("a section extends beyond the end of the file");
        }
        ByteBuffer bytes = ByteBuffer.allocate((int) count);
        in.position(from);
        while (bytes.hasRemaining()) {
            if (in.read(bytes) < 0) {
                throw new IOException("the file is truncated");
            }
        }
        return bytes.array();
    }

    public List<String> columns() {
        return fields.stream().map(Field::name).toList();
    }

    public ColumnType type(int column) {
        return fields.get(column).type();
    }

    /** Moves to the next row, or returns false at the end. */
    public boolean next() throws IOException {
        try {
            while (remaining == 0) {
                if (group == groups.size()) {
                    return false;
                }
                open(groups.get(group++));
            }
            remaining--;
            for (ColumnCursor cursor : cursors) {
                cursor.next();
            }
            return true;
        } catch (IOException damaged) {
            throw damaged(file, damaged);
        }
    }

    private void open(ThriftFields header) throws IOException {
        List<ThriftFields> chunks = header.structs(1);
        if (chunks.size() != fields.size()) {
            throw new IOException("a row group has " + chunks.size() + " columns instead of " + fields.size());
        }
        List<ColumnCursor> opened = new ArrayList<>();
        for (int i = 0; i < chunks.size(); i++) {
            opened.add(cursor(fields.get(i), chunks.get(i).struct(3)));
        }
        cursors = opened;
        remaining = header.number(3);
    }

    private ColumnCursor cursor(Field field, ThriftFields meta) throws IOException {
        long codec = meta.number(4);
        if (codec != Format.NO_CODEC && codec != Format.GZIP) {
            throw new IOException("column " + field.name() + " is compressed by codec " + codec);
        }
        Input pages = new Input(bytes(meta.number(11, meta.number(9)), meta.number(7)));
        String[] words = {};
        ThriftFields header = ThriftFields.read(pages);
        if (header.number(1) == Format.DICTIONARY_PAGE) {
            words = ColumnCursor.dictionary(
                    content(pages, header, codec), header.struct(7).number(1));
            header = ThriftFields.read(pages);
        }
        ThriftFields data = header.struct(5);
        boolean isOurs = data.number(2) == Format.encoding(field.type()) && data.number(1) == meta.number(5);
        if (!isOurs) {
            throw new IOException(
                    "column " + field.name() + " has encoding " + data.number(2) + " or more than one page");
        }
        return new ColumnCursor(field.type(), field.isNullable(), words, content(pages, header, codec));
    }

    private static Input content(Input pages, ThriftFields header, long codec) throws IOException {
        Input stored = pages.part(header.number(3));
        if (codec == Format.NO_CODEC) {
            return stored;
        }
        try (InputStream gzip = new GZIPInputStream(new ByteArrayInputStream(stored.rest()))) {
            return new Input(gzip.readNBytes((int) header.number(2)));
        } catch (IllegalArgumentException negative) {
            throw new IOException("a page has a negative size", negative);
        }
    }

    public boolean isNull(int column) {
        return cursors.get(column).isNull();
    }

    /** Returns the integer of a cell that is not empty. */
    public long longAt(int column) {
        return cursors.get(column).value();
    }

    public double doubleAt(int column) {
        return Double.longBitsToDouble(cursors.get(column).value());
    }

    public boolean booleanAt(int column) {
        return cursors.get(column).value() != 0;
    }

    public String textAt(int column) {
        return cursors.get(column).text();
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
