package dev.stagesim.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** What {@code stage table} runs. Implemented, with Tablesaw, in a jar of its own that no other command loads. */
public interface TableTool {
    /**
     * A question about one table.
     *
     * @param dir run or sweep directory
     * @param table name without the ending; empty when the directory has only one
     * @param join directory and table of the second side
     * @param on columns that rows are joined on
     * @param where conditions that all must hold, for example {@code ttft_ns>5e8}
     * @param group columns to group by
     * @param summarise figures of each group, for example {@code p99(ttft_ns)} or {@code count}
     * @param pivot row column, column whose values become columns, and a figure
     * @param describe prints a summary of each column instead of rows
     * @param sort columns, descending with a leading minus
     * @param columns columns to print; empty for all
     * @param limit largest number of rows; negative for all
     * @param format how it is printed
     */
    record Query(
            Path dir,
            String table,
            Optional<Side> join,
            List<String> on,
            List<String> where,
            List<String> group,
            List<String> summarise,
            List<String> pivot,
            boolean describe,
            List<String> sort,
            List<String> columns,
            long limit,
            Format format) {
        public Query {
            on = List.copyOf(on);
            where = List.copyOf(where);
            group = List.copyOf(group);
            summarise = List.copyOf(summarise);
            pivot = List.copyOf(pivot);
            sort = List.copyOf(sort);
            columns = List.copyOf(columns);
        }

        /** True when the rows can be printed as they are read. */
        public boolean isStreamable() {
            return join.isEmpty()
                    && group.isEmpty()
                    && summarise.isEmpty()
                    && pivot.isEmpty()
                    && !describe
                    && sort.isEmpty();
        }
    }

    /** The second table of a join. */
    record Side(Path dir, String table) {}

    /** Output formats. */
    enum Format {
        TEXT,
        CSV,
        JSON,
        MD,
        PARQUET
    }

    /** The tables of a run or sweep directory, without the endings, sorted. */
    List<String> tables(Path dir) throws IOException;

    /** Answers a question, line by line. */
    void answer(Query query, Appendable out) throws IOException;

    /** Answers a question with a Parquet file. */
    void pack(Query query, Path to) throws IOException;
}
