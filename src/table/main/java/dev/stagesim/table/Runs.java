package dev.stagesim.table;

import dev.stagesim.cli.TableTool.NamedTable;
import dev.stagesim.contract.TableFormat;
import dev.stagesim.io.csv.CsvRows;
import dev.stagesim.io.csv.TableFile;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import tech.tablesaw.api.Table;

/**
 * Reads tables of runs from JShell, notebooks and other programs.
 *
 * <pre>{@code
 * Table requests = Runs.open(Path.of("tmp/vidur_sim/vidur_sim-0123456789")).table("request_metrics");
 * }</pre>
 *
 * <p>Columns have the types of the stage's schema. Integers are {@code long}. Times are in ns unless the name has another unit.
 */
final class Runs {
    private final Path dir;

    private Runs(Path dir) {
        this.dir = dir;
    }

    /**
     * Opens a run or sweep directory.
     *
     * @throws StageException (input) if the directory does not exist
     */
    static Runs open(Path dir) {
        if (!Files.isDirectory(dir)) {
            throw StageException.input(Problem.of("artifact error", dir.toString(), "there is no such directory"));
        }
        return new Runs(dir);
    }

    /** Returns the sorted names of the tables without extension. Tables in a subdirectory have its name and a slash as prefix. */
    List<String> tables() throws IOException {
        try (Stream<Path> files = Files.walk(dir, 2)) {
            return files.filter(Files::isRegularFile)
                    .map(file -> dir.relativize(file).toString().replace('\\', '/'))
                    .filter(name -> TableFormat.isTable(name) && !name.startsWith("."))
                    .map(TableFormat::name)
                    .distinct()
                    .sorted()
                    .toList();
        }
    }

    /**
     * Reads a complete table into memory.
     *
     * @throws StageException (input) if the run has no such table or the file is damaged
     */
    Table table(String name) throws IOException {
        return FrameTable.read(file(name), name);
    }

    /** Returns the table that a name stands for. */
    NamedTable find(String name) throws IOException {
        String plain = TableFormat.name(name);
        List<String> names = tables();
        if (names.contains(plain)) {
            return new NamedTable(plain, Optional.empty());
        }
        List<String> similar = names.stream()
                .filter(table -> List.of(table.split("[_/]")).contains(plain))
                .toList();
        List<String> having = new ArrayList<>();
        for (String table : names) {
            try (CsvRows rows = CsvRows.open(file(table))) {
                if (rows.header().contains(name)) {
                    having.add(table);
                }
            }
        }
        if (similar.size() + having.size() == 1) {
            return similar.isEmpty()
                    ? new NamedTable(having.get(0), Optional.of(name))
                    : new NamedTable(similar.get(0), Optional.empty());
        }
        StageException unknown = unknown(name, names);
        throw having.isEmpty()
                ? unknown
                : StageException.input(unknown.problems()
                        .get(0)
                        .hint("it is a column of " + String.join(", ", having) + ": stage table RUN " + having.get(0)
                                + " --columns " + name));
    }

    private StageException unknown(String name, List<String> names) {
        return StageException.input(Problem.of("artifact error", dir.toString(), "there is no table '" + name + "'")
                .didYouMean(Suggest.near(TableFormat.name(name), names))
                .options(names));
    }

    /** Returns the file of a table. */
    Path file(String name) throws IOException {
        String plain = TableFormat.name(name);
        List<String> names = tables();
        if (!names.contains(plain)) {
            throw unknown(name, names);
        }
        return TableFile.find(dir.resolve(plain + ".csv"));
    }
}
