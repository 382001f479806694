package dev.stagesim.api;

import static dev.stagesim.api.ArgumentCheck.given;

import dev.stagesim.io.background.Unchecked;
import dev.stagesim.io.csv.LooseTable;
import dev.stagesim.io.csv.TableFile;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import dev.stagesim.pipeline.store.RunMeta;
import dev.stagesim.pipeline.store.RunRef;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;

/** A finished run. */
public final class Run {
    private final RunRef run;

    Run(RunRef run) {
        this.run = run;
    }

    /** Returns its directory. */
    public Path dir() {
        return run.dir();
    }

    /** Returns its stage. */
    public String stage() {
        return run.meta().runType();
    }

    /** Returns its id, which is the name of the directory. */
    public String id() {
        return run.runId();
    }

    /** Returns true if the run was finished before it was requested. */
    public boolean isReused() {
        return run.reused();
    }

    /** Returns the metrics that the command line prints, by name. The names contain the units. */
    public SortedMap<String, Double> figures() {
        return run.meta().headlines();
    }

    /** Returns the warnings of this run and its upstream runs. */
    public List<String> warnings() {
        return run.meta().warnings().stream().map(RunMeta.Warning::message).toList();
    }

    /** Returns the failed checks, for which the command line exits with code 3. */
    public List<String> failedChecks() {
        return run.meta().checks().stream().map(Problem::render).toList();
    }

    /** Returns its files, relative to its directory. */
    public List<String> files() {
        return run.meta().outputs().stream().map(RunMeta.Output::path).toList();
    }

    /**
     * Reads a table of the run into memory, in any format.
     *
     * @param file name of the table, for example {@code request_metrics.csv}
     */
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
        return new Table(Unchecked.get(() -> LooseTable.read(run.dir().resolve(file))));
    }
}
