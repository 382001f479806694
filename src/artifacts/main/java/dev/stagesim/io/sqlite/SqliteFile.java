package dev.stagesim.io.sqlite;

import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Reads the tables of a SQLite database from its pages. Memory use does not grow with the file.
 *
 * <p><b>Caveats:</b> Only rowid tables and UTF-8 text are supported. A write-ahead log is ignored.
 */
public final class SqliteFile implements Closeable {
    private static final int LEAF = 0x0d;
    private static final int INNER = 0x05;
    private static final int FIRST_PAGE_OFFSET = 100;
    private static final int MAX_DEPTH = 32;

    private final Pages pages;
    /** Maximum number of pages that the current table can still have. */
    private long remainingPages;

    private final Map<String, Table> tables = new TreeMap<>();

    private record Table(long root, Map<String, Integer> columns, int keyColumn) {}

    private SqliteFile(Pages pages) {
        this.pages = pages;
    }

    public static SqliteFile open(Path file) throws IOException {
        SqliteFile opened = new SqliteFile(Pages.open(file));
        try {
            opened.schema();
            return opened;
        } catch (IOException | RuntimeException e) {
            opened.close();
            throw e;
        }
    }

    private void schema() throws IOException {
        Map<String, Integer> columns = new LinkedHashMap<>();
        List.of("type", "name", "tbl_name", "rootpage", "sql").forEach(name -> columns.put(name, columns.size()));
        scan(new Table(1, columns, -1), row -> {
            if (row.text("type").equals("table") && !row.isNull("sql")) {
                tables.put(row.text("name"), TableSql.parse(row.text("sql"), row.integer("rootpage"), Table::new));
            }
        });
    }

    public List<String> tables() {
        return List.copyOf(tables.keySet());
    }

    public boolean has(String table, String... columns) {
        Table found = tables.get(table);
        return found != null && found.columns().keySet().containsAll(List.of(columns));
    }

    /** Passes each row of an existing table to the consumer. */
    public void rows(String table, Consumer<SqliteRow> consumer) throws IOException {
        Table found = tables.get(table);
        if (found == null) {
            throw new IllegalArgumentException("no table " + table);
        }
        scan(found, consumer);
    }

    private void scan(Table table, Consumer<SqliteRow> consumer) throws IOException {
        try {
            // each page of an intact file belongs to one table
            remainingPages = pages.count();
            walk(table.root(), new SqliteRow(table.columns(), table.keyColumn()), consumer, 0);
        } catch (BufferUnderflowException | IndexOutOfBoundsException | IllegalArgumentException e) {
            throw pages.broken("has a malformed page");
        }
    }

    private void walk(long number, SqliteRow row, Consumer<SqliteRow> consumer, int depth) throws IOException {
        if (remainingPages-- <= 0) {
            throw pages.broken("has a table with a cycle of pages");
        }
        ByteBuffer page = pages.page(number);
        int start = number == 1 ? FIRST_PAGE_OFFSET : 0;
        int type = page.get(start);
        int cells = page.getShort(start + 3) & 0xffff;
        if ((type != LEAF && type != INNER) || depth > MAX_DEPTH) {
            throw pages.broken(String.format(Locale.ROOT, "page %d is not part of a table with row numbers", number));
        }
        long room = pages.usable();
        int pointers = start + (type == LEAF ? 8 : 12);
        for (int cell = 0; cell < cells; cell++) {
            page.position(page.getShort(pointers + 2 * cell) & 0xffff);
            if (type == INNER) {
                walk(page.getInt() & 0xffffffffL, row, consumer, depth + 1);
            } else {
                long length = Varint.read(page);
                long rowNumber = Varint.read(page);
                if (length < 0 || length > pages.bytes()) {
                    throw pages.broken("has a row of " + length + " bytes");
                }
                room -= length <= pages.usable() - 35 ? length : 0; // longer ones are counted by their pages
                if (room < 0) {
                    throw pages.broken("has a page with rows that overlap");
                }
                row.set(rowNumber, payload(page, (int) length));
                consumer.accept(row);
            }
        }
        if (type == INNER) {
            walk(page.getInt(start + 8) & 0xffffffffL, row, consumer, depth + 1);
        }
    }

    /** Returns the bytes of a record; a long record continues in overflow pages. */
    private byte[] payload(ByteBuffer page, int length) throws IOException {
        byte[] bytes = new byte[length];
        int usable = pages.usable();
        int maxLocal = usable - 35;
        if (length <= maxLocal) {
            page.get(bytes);
            return bytes;
        }
        int minLocal = (usable - 12) * 32 / 255 - 23;
        int local = minLocal + (length - minLocal) % (usable - 4);
        local = local > maxLocal ? minLocal : local;
        page.get(bytes, 0, local);
        long next = page.getInt() & 0xffffffffL;
        for (int at = local; at < length; ) {
            if (remainingPages-- <= 0) {
                throw pages.broken("has a row with a cycle of pages");
            }
            ByteBuffer more = pages.page(next);
            next = more.getInt() & 0xffffffffL;
            int part = Math.min(usable - 4, length - at);
            more.get(bytes, at, part);
            at += part;
        }
        return bytes;
    }

    @Override
    public void close() throws IOException {
        pages.close();
    }

    /** Parses the columns of a {@code CREATE TABLE}. */
    private static final class TableSql {
        /** Creates a table from its definition. */
        interface Maker<T> {
            T make(long root, Map<String, Integer> columns, int keyColumn);
        }

        private TableSql() {}

        static <T> T parse(String sql, long root, Maker<T> maker) {
            int open = sql.indexOf('(');
            int close = sql.lastIndexOf(')');
            Map<String, Integer> columns = new LinkedHashMap<>();
            int key = -1;
            for (String part :
                    open < 0 ? List.<String>of() : parts(sql.substring(open + 1, Math.max(open + 1, close)))) {
                String text = part.strip();
                String upper = text.toUpperCase(Locale.ROOT);
                if (text.isEmpty() || upper.matches("(?s)(PRIMARY|UNIQUE|CHECK|FOREIGN|CONSTRAINT)\\b.*")) {
                    continue;
                }
                if (upper.matches("(?s)\\S+\\s+INTEGER\\b.*\\bPRIMARY\\s+KEY\\b.*")) {
                    key = columns.size(); // an alias of the row id, which the record does not contain
                }
                columns.putIfAbsent(name(text), columns.size());
            }
            return maker.make(root, columns, key);
        }

        private static String name(String text) {
            char first = text.charAt(0);
            if (first == '"' || first == '`' || first == '[') {
                int end = text.indexOf(first == '[' ? ']' : first, 1);
                return text.substring(1, Math.max(1, end));
            }
            return text.split("\\s", 2)[0];
        }

        /** Splits at commas outside of parentheses and quotes, without comments. */
        private static List<String> parts(String body) {
            String text = body.replaceAll("(?s)/\\*.*?\\*/", " ").replaceAll("--[^\n]*", " ");
            List<String> parts = new ArrayList<>();
            int depth = 0;
            int from = 0;
            char quote = 0;
            for (int i = 0; i < text.length(); i++) {
                char c = text.charAt(i);
                if (quote != 0) {
                    quote = c == quote ? 0 : quote;
                } else if (c == '\'' || c == '"') {
                    quote = c;
                } else if (c == '(' || c == ')') {
                    depth += c == '(' ? 1 : -1;
                } else if (c == ',' && depth == 0) {
                    parts.add(text.substring(from, i));
                    from = i + 1;
                }
            }
            parts.add(text.substring(from));
            return parts;
        }
    }

    /** Reads pages of a database file on demand. */
    private static final class Pages implements Closeable {
        private static final String MAGIC = "SQLite format 3\u0000";
        private static final int HEADER = 100;
        private static final int UTF_8 = 1;
        private static final int WAL = 2;

        private final Path file;
        private final SeekableByteChannel channel;
        private final int size;
        private final int usable;
        private final long count;

        private Pages(Path file, SeekableByteChannel channel, ByteBuffer header) throws IOException {
            this.file = file;
            this.channel = channel;
            int stated = header.getShort(16) & 0xffff;
            this.size = stated == 1 ? 1 << 16 : stated;
            this.usable = size - (header.get(20) & 0xff);
            this.count = channel.size() / Math.max(1, size);
        }

        static Pages open(Path file) throws IOException {
            SeekableByteChannel channel = InputFile.channel(InputFile.regular(file));
            try {
                ByteBuffer header = ByteBuffer.allocate(HEADER);
                fill(header, channel);
                if (header.hasRemaining()
                        || !new String(header.array(), 0, MAGIC.length(), StandardCharsets.ISO_8859_1).equals(MAGIC)) {
                    throw broken(file, "is not an SQLite database");
                }
                Pages pages = new Pages(file, channel, header);
                if (pages.size < 512 || pages.usable < 480) {
                    throw broken(file, "states a page size of " + pages.size);
                }
                int encoding = header.getInt(56);
                if (encoding != UTF_8 && encoding != 0) {
                    throw broken(file, "contains text in UTF-16, expected UTF-8");
                }
                Path log = file.resolveSibling(file.getFileName() + "-wal");
                if (header.get(18) == WAL && Files.exists(log) && Files.size(log) > 0) {
                    throw broken(file, "has a write-ahead log that contains part of the data");
                }
                return pages;
            } catch (IOException | RuntimeException e) {
                channel.close();
                throw e;
            }
        }

        static StageException broken(Path file, String what) {
            return StageException.input(Problem.artifact(file.toString(), what));
        }

        StageException broken(String what) {
            return broken(file, what);
        }

        /** Returns the usable bytes of a page. */
        int usable() {
            return usable;
        }

        long count() {
            return count;
        }

        /** Returns the size of the file, limited to the maximum size of an array; no row is larger. */
        long bytes() {
            return Math.min(count * size, Integer.MAX_VALUE - 8);
        }

        /** Returns a page by its number, from 1. */
        ByteBuffer page(long number) throws IOException {
            if (number < 1 || number > count) {
                throw broken("is truncated: page " + number + " of " + count + " is missing");
            }
            ByteBuffer page = ByteBuffer.allocate(size);
            channel.position((number - 1) * size);
            fill(page, channel);
            return page.rewind();
        }

        /** Reads until the buffer is full or the file ends. */
        private static void fill(ByteBuffer buffer, SeekableByteChannel channel) throws IOException {
            int got = 0;
            while (buffer.hasRemaining() && got >= 0) {
                got = channel.read(buffer);
            }
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
