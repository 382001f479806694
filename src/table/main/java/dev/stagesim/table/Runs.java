package dev.stagesim.table;

import dev.stagesim.contract.TableFormat;
import dev.stagesim.io.csv.TableFile;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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

    /** Returns the file of a table. */
    Path file(String name) throws IOException {
        String plain = TableFormat.name(name);
        List<String> names = tables();
        if (!names.contains(plain)) {
            throw StageException.input(Problem.of("artifact error", dir.toString(), "there is no table '" + name + "'")
                    .didYouMean(Suggest.near(plain, names))
                    .options(names));
        }
        return TableFile.find(dir.resolve(plain + ".csv"));
    }
}
