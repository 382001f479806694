package dev.stagesim.io.chakra;

import dev.stagesim.contract.Tables;
import dev.stagesim.io.csv.TableFile;
import dev.stagesim.io.csv.TableReader;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.AbstractList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.RandomAccess;

/** Maps ranks to trace files if several ranks share a file, as listed in {@code trace_ranks.csv} next to the traces. */
public final class TraceRanks extends AbstractList<Path> implements RandomAccess {
    /** Maximum number of ranks. */
    public static final int MAX_RANKS = 1 << 24;

    private final Path table;
    private final List<Path> files;
    private final int[] fileOf;

    private TraceRanks(Path table, List<Path> files, int[] fileOf) {
        this.table = table;
        this.files = files;
        this.fileOf = fileOf;
    }

    /**
     * Reads the table of a folder, if present and if it lists a trace of this set.
     *
     * @param beginning prefix of the trace names, including its full stop; empty for any name
     * @throws StageException (input) if a rank is missing or repeated, or a name is not a trace of the set
     */
    public static Optional<TraceRanks> of(Path folder, String beginning) throws IOException {
        Path table = TableFile.find(folder.resolve(Tables.TRACE_RANKS.name()));
        if (!TableFile.exists(table)) {
            return Optional.empty();
        }
        Map<Path, Integer> files = new LinkedHashMap<>();
        int[] fileOf = {};
        int ranks = 0;
        boolean isOfThisSet = beginning.isEmpty();
        Optional<Problem> wrong = Optional.empty();
        try (TableReader rows = TableReader.open(table, Tables.TRACE_RANKS)) {
            while (rows.next()) {
                String name = rows.stringAt("file");
                boolean isTrace = TraceSet.isTrace(name, beginning);
                isOfThisSet |= isTrace;
                if (wrong.isPresent()) {
                    continue;
                }
                wrong = isTrace ? ranksProblem(rows, ranks) : Optional.of(nameProblem(rows, name, beginning));
                if (wrong.isEmpty()) {
                    int next = (int) rows.longAt("last_rank") + 1;
                    Integer known = files.putIfAbsent(folder.resolve(name), files.size());
                    if (next > fileOf.length) {
                        fileOf = Arrays.copyOf(fileOf, Math.max(next, Math.min(MAX_RANKS, 2 * fileOf.length)));
                    }
                    Arrays.fill(fileOf, ranks, next, known == null ? files.size() - 1 : known);
                    ranks = next;
                }
            }
        }
        if (wrong.isPresent() && !isOfThisSet) {
            return Optional.empty();
        }
        wrong.ifPresent(problem -> {
            throw StageException.input(problem);
        });
        if (ranks == 0) {
            throw StageException.input(Problem.artifact(table.toString(), "the table lists no traces"));
        }
        return Optional.of(new TraceRanks(table, List.copyOf(files.keySet()), Arrays.copyOf(fileOf, ranks)));
    }

    private static Problem nameProblem(TableReader rows, String name, String beginning) {
        return Problem.artifact(rows.where(), "'" + name + "' is not the name of a trace of this set")
                .note("expected", (beginning.isEmpty() ? "<prefix>." : beginning) + "<rank>.et");
    }

    /** Returns the error in a row's ranks, given the number of ranks in the rows above. */
    private static Optional<Problem> ranksProblem(TableReader rows, int ranks) {
        long first = rows.longAt("first_rank");
        long last = rows.longAt("last_rank");
        if (first != ranks) {
            return Optional.of(Problem.artifact(
                    rows.where(),
                    first < ranks ? "rank " + first + " is in two rows" : "rank " + ranks + " is in no row"));
        }
        if (last >= MAX_RANKS) {
            return Optional.of(
                    Problem.artifact(rows.where(), "found rank " + last).note("expected", "ranks below " + MAX_RANKS));
        }
        return Optional.empty();
    }

    /** Path of the table. */
    public Path table() {
        return table;
    }

    @Override
    public Path get(int rank) {
        return files.get(fileOf[rank]);
    }

    @Override
    public int size() {
        return fileOf.length;
    }

    /** Writes a table: one row per range of ranks. */
    public static final class Writer implements Closeable {
        private final TableWriter rows;
        private long first;
        private long next;
        private String file = "";

        /** Creates the table in a folder. */
        public Writer(Path folder) throws IOException {
            rows = TableWriter.create(folder.resolve(Tables.TRACE_RANKS.name()), Tables.TRACE_RANKS);
        }

        /** Assigns a file to the next {@code ranks} ranks. */
        public void add(int ranks, String name) throws IOException {
            if (!name.equals(file)) {
                row();
                file = name;
            }
            next += ranks;
        }

        private void row() throws IOException {
            if (next > first) {
                rows.put(first).put(next - 1).put(file).endRow();
                first = next;
            }
        }

        @Override
        public void close() throws IOException {
            try (rows) {
                row();
            }
        }
    }
}
