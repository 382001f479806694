package dev.stagesim.api;

import static dev.stagesim.api.Given.given;

import dev.stagesim.io.csv.LooseTable;
import dev.stagesim.io.csv.TableFile;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import dev.stagesim.pipeline.RunMeta;
import dev.stagesim.pipeline.RunRef;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;

/** A finished run. */
public final class Run {
    private final RunRef run;

    Run(RunRef run) {
        this.run = run;
    }

    /** Its directory. */
    public Path dir() {
        return run.dir();
    }

    /** The stage that made it. */
    public String stage() {
        return run.meta().runType();
    }

    /** Its id, the name of the directory. */
    public String id() {
        return run.runId();
    }

    /** Whether it was finished before it was asked for. */
    public boolean isReused() {
        return run.reused();
    }

    /** The figures that the command line prints, by name; units are in the names. */
    public SortedMap<String, Double> figures() {
        return run.meta().headlines();
    }

    /** What a person should know, of this run and those it was made from. */
    public List<String> warnings() {
        return run.meta().warnings().stream().map(RunMeta.Warning::message).toList();
    }

    /** Checks that did not hold, for which the command line ends with 3. */
    public List<String> failedChecks() {
        return run.meta().checks().stream().map(Problem::render).toList();
    }

    /** Its files, relative to its directory. */
    public List<String> files() {
        return run.meta().outputs().stream().map(RunMeta.Output::path).toList();
    }

    /** A table of it, {@code request_metrics.csv} for example, whatever its format, read into memory. */
    public Table table(String file) {
        given(file, "table: file", "the name of a table, such as request_metrics.csv");
        List<String> tables = files().stream().filter(TableFile::isTable).toList();
        String found =
                String.valueOf(run.dir().relativize(TableFile.find(run.dir().resolve(file))));
        if (!tables.contains(found.replace('\\', '/'))) {
            throw StageException.input(Problem.artifact(run.dir() + "/" + file, "the run has no such table")
                    .didYouMean(Suggest.near(file, tables))
                    .options(tables));
        }
        try {
            return new Table(LooseTable.read(run.dir().resolve(file)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
