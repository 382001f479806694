package dev.stagesim.sweep;

import dev.stagesim.io.csv.TableReader;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.Pipeline;
import dev.stagesim.pipeline.store.RunRef;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Reads job tables of earlier launches. */
final class SweepRecords {
    record Row(int num, JobStatus status, String runId, String error) {}

    private SweepRecords() {}

    /** Returns the rows of a directory's job table; empty if there is no table. */
    static List<Row> rows(Path tables) throws IOException {
        Path file = tables.resolve(SweepSchemas.JOBS.name());
        List<Row> rows = new ArrayList<>();
        if (!Files.isRegularFile(file)) {
            return rows;
        }
        TableReader.forEach(
                file,
                SweepSchemas.JOBS,
                in -> rows.add(new Row(
                        Math.toIntExact(in.longAt("job")),
                        JobStatus.valueOf(in.stringAt("status").toUpperCase(Locale.ROOT)),
                        in.isEmpty("run_id") ? "" : in.stringAt("run_id"),
                        in.isEmpty("error") ? "" : in.stringAt("error"))));
        return rows;
    }

    /** Returns the results of earlier launches by job number: existing runs, and errors. */
    static Map<Integer, JobOutcome> read(Path tables, Manifest manifest, Pipeline pipeline) throws IOException {
        Map<Integer, JobOutcome> found = new TreeMap<>();
        for (Row row : rows(tables)) {
            if (row.num() < manifest.jobs().size()) {
                JobOutcome pending = JobOutcome.pending(manifest.jobs().get(row.num()));
                Optional<RunRef> run = run(row, manifest, pipeline);
                if (run.isPresent()) {
                    found.put(row.num(), pending.done(run.get()));
                } else if (row.status() == JobStatus.FAILED) {
                    found.put(row.num(), pending.failed(row.error()));
                }
            }
        }
        return found;
    }

    /** Returns the run of a row, if it exists and is intact. */
    static Optional<RunRef> run(Row row, Manifest manifest, Pipeline pipeline) throws IOException {
        if (row.runId().isEmpty()) {
            return Optional.empty();
        }
        Path dir = pipeline.sweeps().dir().resolveSibling(manifest.stageName()).resolve(row.runId());
        try {
            return Optional.of(pipeline.sweeps().finished(dir));
        } catch (StageException gone) {
            return Optional.empty();
        }
    }
}
