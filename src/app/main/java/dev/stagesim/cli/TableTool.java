package dev.stagesim.cli;

import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Implementation of {@code stage table}. It uses Tablesaw and is in a separate jar that no other command loads. */
public interface TableTool {
    /**
     * A query of one table.
     *
     * @param dir run or sweep directory
     * @param table name without the extension; empty if the directory has only one
     * @param join the second table, if tables are joined
     * @param where conditions that must all be true, for example {@code ttft_ns>5e8}
     * @param summary what replaces the rows
     * @param sort columns, descending with a leading minus
     * @param columns columns to print; empty for all
     * @param limit maximum number of rows; negative for all
     * @param format output format
     */
    record Query(
            Path dir,
            String table,
            Optional<Join> join,
            List<String> where,
            Summary summary,
            List<String> sort,
            List<String> columns,
            long limit,
            Format format) {
        public Query {
            where = List.copyOf(where);
            sort = List.copyOf(sort);
            columns = List.copyOf(columns);
        }

        /** True if rows can be printed while the table is read. */
        public boolean isStreamable() {
            return join.isEmpty() && summary.equals(Summary.NONE) && sort.isEmpty();
        }
    }

    /** The second table of a join, and the columns that both tables have in common. */
    record Join(Path dir, String table, List<String> on) {
        public Join {
            on = List.copyOf(on);
        }
    }

    /**
     * Rows that replace the rows of the table. At most one kind is set.
     *
     * @param group columns to group by
     * @param aggregates aggregates per group, for example {@code p99(ttft_ns)} or {@code count}
     * @param pivot row column, column with the names of the new columns, and an aggregate
     * @param describe prints a summary of each column instead of rows
     */
    record Summary(List<String> group, List<String> aggregates, List<String> pivot, boolean describe) {
        /** The rows of the table itself. */
        public static final Summary NONE = new Summary(List.of(), List.of(), List.of(), false);

        public Summary {
            group = List.copyOf(group);
            aggregates = List.copyOf(aggregates);
            pivot = List.copyOf(pivot);
        }
    }

    /** The output formats. */
    enum Format {
        TEXT,
        CSV,
        JSON,
        MD,
        PARQUET
    }

    /** Returns the tables of a run or sweep directory, without extensions, sorted. */
    List<String> tables(Path dir) throws IOException;

    /**
     * A table that a name stands for.
     *
     * @param column the column, if the name is that of a column
     */
    record NamedTable(String table, Optional<String> column) {}

    /**
     * Returns the table with a name, otherwise the only table whose name contains it as a part or that has a column of this
     * name.
     *
     * @throws StageException (input) if there is no such table, or if several match
     */
    NamedTable find(Path dir, String name) throws IOException;

    /** Prints the result of a query, line by line. */
    void answer(Query query, Appendable out) throws IOException;

    /** Writes the result of a query to a Parquet file. */
    void pack(Query query, Path to) throws IOException;
}
