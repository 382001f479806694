package dev.stagesim.io.parquet;

import dev.stagesim.contract.Column;
import dev.stagesim.contract.ColumnType;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.zip.GZIPOutputStream;

/**
 * Writes a table as Parquet row by row: delta-encoded integers, plain reals, dictionary-encoded texts, and one page per
 * column and row group. Keeps one encoded row group in memory. A file that is closed before {@link #finish} has no
 * footer, so readers reject it.
 */
public final class ParquetWriter implements Closeable {
    static final int GROUP_ROWS = 1 << 20;
    private static final int GROUP_BYTES = 1 << 26;

    private final OutputStream out;
    private final List<Column> columns;
    private final String table;
    private final boolean isCompressed;
    private final int groupRows;
    private final List<Consumer<ThriftWriter>> groups = new ArrayList<>();
    private List<ColumnChunk> chunks;
    private long position;
    private int rows;
    private long allRows;

    /**
     * Starts a file.
     *
     * @param table description of the table in the footer
     * @param isCompressed true to compress pages with gzip
     */
    public ParquetWriter(Path file, String table, List<Column> columns, boolean isCompressed) throws IOException {
        this(file, table, columns, isCompressed, GROUP_ROWS);
    }

    /** Starts a file with a given number of rows per group. */
    ParquetWriter(Path file, String table, List<Column> columns, boolean isCompressed, int groupRows)
            throws IOException {
        this.groupRows = groupRows;
        this.columns = List.copyOf(columns);
        this.table = table;
        this.isCompressed = isCompressed;
        this.chunks = chunks();
        this.out = new BufferedOutputStream(Files.newOutputStream(file));
        write(new Bytes().put(Format.MAGIC.getBytes(StandardCharsets.US_ASCII)));
    }

    private List<ColumnChunk> chunks() {
        return columns.stream().map(ColumnChunk::new).toList();
    }

    public void put(int column, long value) {
        chunks.get(column).put(value);
    }

    public void put(int column, double value) {
        chunks.get(column).put(value);
    }

    public void put(int column, String value) {
        chunks.get(column).put(value);
    }

    public void put(int column, boolean value) {
        chunks.get(column).put(value);
    }

    public void putNull(int column) {
        chunks.get(column).putNull();
    }

    /** Ends a row. Every column must have a value. */
    public void endRow() throws IOException {
        rows++;
        boolean isLarge = (rows & 0xFF) == 0
                && chunks.stream().mapToLong(ColumnChunk::size).sum() >= GROUP_BYTES;
        if (rows == groupRows || isLarge) {
            endGroup();
        }
    }

    private void write(Bytes bytes) throws IOException {
        bytes.writeTo(out);
        position += bytes.size();
    }

    private void endGroup() throws IOException {
        long start = position;
        List<Consumer<ThriftWriter>> all = new ArrayList<>();
        long plainSize = 0;
        for (int i = 0; i < chunks.size(); i++) {
            ColumnChunk chunk = chunks.get(i);
            if (chunk.rows() != rows) {
                throw new IllegalStateException(table + ": column "
                        + columns.get(i).name() + " has " + chunk.rows() + " values, the others " + rows);
            }
            Placed placed = write(columns.get(i), chunk);
            plainSize += placed.plainSize();
            all.add(placed.header());
        }
        int count = rows;
        long size = plainSize;
        long stored = position - start;
        groups.add(group ->
                group.structs(1, all).i64(2, size).i64(3, count).i64(5, start).i64(6, stored));
        allRows += rows;
        rows = 0;
        chunks = chunks();
    }

    /** Footer data of a column's pages, and their uncompressed size. */
    private record Placed(Consumer<ThriftWriter> header, long plainSize) {}

    private Placed write(Column column, ColumnChunk chunk) throws IOException {
        long start = position;
        int encoding = Format.encoding(column.type());
        boolean hasDictionary = column.type() == ColumnType.STRING;
        long plainSize = 0;
        if (hasDictionary) {
            plainSize += page(
                    Format.DICTIONARY_PAGE,
                    chunk.dictionary(),
                    header -> header.struct(
                            7, words -> words.i32(1, chunk.words()).i32(2, Format.PLAIN)));
        }
        long dataStart = position;
        plainSize += page(
                Format.DATA_PAGE,
                chunk.page(),
                header -> header.struct(5, data -> data.i32(1, chunk.rows())
                        .i32(2, encoding)
                        .i32(3, Format.RUN_LENGTHS)
                        .i32(4, Format.RUN_LENGTHS)));
        long size = plainSize;
        long stored = position - start;
        Consumer<ThriftWriter> metadata = meta -> {
            meta.i32(1, Format.physical(column.type()))
                    .numbers(2, Format.PLAIN, Format.RUN_LENGTHS, encoding)
                    .texts(3, column.name())
                    .i32(4, isCompressed ? Format.GZIP : Format.NO_CODEC)
                    .i64(5, chunk.rows())
                    .i64(6, size)
                    .i64(7, stored)
                    .i64(9, dataStart);
            if (hasDictionary) {
                meta.i64(11, start);
            }
            meta.struct(12, range -> {
                range.i64(3, chunk.nulls());
                if (chunk.hasRange()) {
                    range.plain(5, chunk.maximum()).plain(6, chunk.minimum());
                }
            });
        };
        return new Placed(place -> place.i64(2, start).struct(3, metadata), size);
    }

    /** Writes a page and returns its uncompressed size, including its header. */
    private long page(int type, Bytes content, Consumer<ThriftWriter> kind) throws IOException {
        Bytes stored = isCompressed ? compressed(content) : content;
        Bytes header = new Bytes();
        ThriftWriter.write(header, page -> {
            page.i32(1, type).i32(2, content.size()).i32(3, stored.size());
            kind.accept(page);
        });
        write(header);
        write(stored);
        return (long) header.size() + content.size();
    }

    private static Bytes compressed(Bytes content) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(all)) {
            content.writeTo(gzip);
        }
        return new Bytes().put(all.toByteArray());
    }

    /** Writes the last row group and the footer. */
    public void finish() throws IOException {
        if (rows > 0) {
            endGroup();
        }
        Bytes footer = new Bytes();
        ThriftWriter.write(footer, this::footer);
        int size = footer.size();
        write(footer);
        write(new Bytes().le(size, Integer.BYTES).put(Format.MAGIC.getBytes(StandardCharsets.US_ASCII)));
    }

    @Override
    public void close() throws IOException {
        out.close();
    }

    private void footer(ThriftWriter file) {
        List<Consumer<ThriftWriter>> schema = new ArrayList<>();
        schema.add(root -> root.text(4, "table").i32(5, columns.size()));
        columns.forEach(column -> schema.add(element -> element(element, column)));
        List<Consumer<ThriftWriter>> notes = new ArrayList<>();
        notes.add(note -> note.text(1, "table").text(2, table));
        columns.stream()
                .filter(column -> !column.unit().isEmpty())
                .forEach(column -> notes.add(
                        note -> note.text(1, "unit of " + column.name()).text(2, column.unit())));
        List<Consumer<ThriftWriter>> orders = columns.stream()
                .<Consumer<ThriftWriter>>map(column -> order -> order.struct(1, natural -> {}))
                .toList();
        file.i32(1, 2)
                .structs(2, schema)
                .i64(3, allRows)
                .structs(4, groups)
                .structs(5, notes)
                .text(6, "stagesim")
                .structs(7, orders);
    }

    private static void element(ThriftWriter element, Column column) {
        element.i32(1, Format.physical(column.type()))
                .i32(3, column.nullable() ? Format.OPTIONAL : Format.REQUIRED)
                .text(4, column.name());
        if (column.type() == ColumnType.STRING) {
            element.i32(6, 0).struct(10, logical -> logical.struct(1, utf8 -> {}));
        }
    }
}
