package dev.stagesim.io.sqlite;

import java.io.Closeable;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * A SQLite database, read table by table from its pages; memory does not grow with the file.
 *
 * <p><b>Caveats:</b> tables with row numbers and text in UTF-8 only, and what is in the file itself, not in a write-ahead log.
 */
public final class SqliteFile implements Closeable {
    private static final int LEAF = 0x0d;
    private static final int INNER = 0x05;
    private static final int FIRST_PAGE_OFFSET = 100;
    private static final int DEEPEST = 32;

    private final Pages pages;
    private final Map<String, Table> tables = new TreeMap<>();

    private record Table(long root, Map<String, Integer> columns, int keyColumn) {}

    private SqliteFile(Pages pages) {
        this.pages = pages;
    }

    /** Opens a database. */
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

    /** Names of the tables. */
    public List<String> tables() {
        return List.copyOf(tables.keySet());
    }

    /** True when there is a table with all these columns. */
    public boolean has(String table, String... columns) {
        Table found = tables.get(table);
        return found != null && found.columns().keySet().containsAll(List.of(columns));
    }

    /** Hands over each row of a table that is there. */
    public void rows(String table, Consumer<SqliteRow> consumer) throws IOException {
        Table found = tables.get(table);
        if (found == null) {
            throw new IllegalArgumentException("no table " + table);
        }
        scan(found, consumer);
    }

    private void scan(Table table, Consumer<SqliteRow> consumer) throws IOException {
        try {
            walk(table.root(), new SqliteRow(table.columns(), table.keyColumn()), consumer, 0);
        } catch (BufferUnderflowException | IndexOutOfBoundsException e) {
            throw pages.broken("has a malformed page");
        }
    }

    private void walk(long number, SqliteRow row, Consumer<SqliteRow> consumer, int depth) throws IOException {
        ByteBuffer page = pages.page(number);
        int start = number == 1 ? FIRST_PAGE_OFFSET : 0;
        int type = page.get(start);
        int cells = page.getShort(start + 3) & 0xffff;
        if ((type != LEAF && type != INNER) || depth > DEEPEST) {
            throw pages.broken(String.format(Locale.ROOT, "page %d is no part of a table with row numbers", number));
        }
        int pointers = start + (type == LEAF ? 8 : 12);
        for (int cell = 0; cell < cells; cell++) {
            page.position(page.getShort(pointers + 2 * cell) & 0xffff);
            if (type == INNER) {
                walk(page.getInt() & 0xffffffffL, row, consumer, depth + 1);
            } else {
                int length = (int) Varint.read(page);
                long rowNumber = Varint.read(page);
                row.set(rowNumber, payload(page, length));
                consumer.accept(row);
            }
        }
        if (type == INNER) {
            walk(page.getInt(start + 8) & 0xffffffffL, row, consumer, depth + 1);
        }
    }

    /** A record's bytes; a long one goes on in pages of its own. */
    private byte[] payload(ByteBuffer page, int length) throws IOException {
        byte[] bytes = new byte[length];
        int usable = pages.usable();
        int most = usable - 35;
        if (length <= most) {
            page.get(bytes);
            return bytes;
        }
        int least = (usable - 12) * 32 / 255 - 23;
        int here = least + (length - least) % (usable - 4);
        here = here > most ? least : here;
        page.get(bytes, 0, here);
        long next = page.getInt() & 0xffffffffL;
        for (int at = here; at < length; ) {
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
}
