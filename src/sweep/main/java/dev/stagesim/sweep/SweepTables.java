package dev.stagesim.sweep;

import dev.stagesim.contract.Column;
import dev.stagesim.contract.TableSchema;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.pipeline.request.Sections;
import dev.stagesim.pipeline.store.RunRef;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Writes the tables of a sweep. Each file is written atomically. */
public final class SweepTables {
    private static final String RESULTS = "results.csv";
    private static final String FAILED = "failed.txt";

    private final List<JobOutcome> jobs;
    private final List<Map<String, String>> settings;
    private final List<String> swept;
    private final List<String> figures;

    SweepTables(List<JobOutcome> jobs) {
        this.jobs = jobs;
        this.settings = jobs.stream().map(job -> values(job.overrides())).toList();
        this.swept = swept(settings);
        Set<String> names = new TreeSet<>();
        jobs.forEach(job ->
                job.run().ifPresent(run -> names.addAll(run.meta().headlines().keySet())));
        this.figures = List.copyOf(names);
    }

    /** Returns the keys that differ between jobs, in order of first appearance. */
    List<String> swept() {
        return swept;
    }

    /** Returns the names of all metrics of the jobs, sorted. */
    List<String> figures() {
        return figures;
    }

    /** Writes the job table, and the table of metrics if {@code results}. */
    static void write(Path dir, List<JobOutcome> jobs, boolean results) throws IOException {
        SweepTables tables = new SweepTables(jobs);
        SweepFiles.write(dir.resolve(SweepSchemas.JOBS.name()), tables::writeJobs);
        if (results) {
            SweepFiles.write(dir.resolve(RESULTS), tables::writeResults);
        }
    }

    /** Writes the overrides of failed jobs, one job per line. Without failed jobs, the file is deleted. */
    static void writeFailed(Path dir, List<JobOutcome> jobs) throws IOException {
        StringBuilder text = new StringBuilder();
        for (JobOutcome job : jobs) {
            if (job.status() == JobStatus.FAILED) {
                text.append(String.join(" ", job.overrides())).append('\n');
            }
        }
        if (text.isEmpty()) {
            Files.deleteIfExists(dir.resolve(FAILED));
        } else {
            SweepFiles.write(dir.resolve(FAILED), file -> Files.writeString(file, text));
        }
    }

    /** Returns values by key. A later override of the same key wins. */
    public static Map<String, String> values(List<String> overrides) {
        Map<String, String> values = new LinkedHashMap<>();
        for (String override : overrides) {
            int equals = override.indexOf('=');
            values.put(Sections.key(override), equals < 0 ? "~" : override.substring(equals + 1));
        }
        return values;
    }

    /** Returns the keys that differ between jobs, in order of first appearance. */
    public static List<String> swept(List<Map<String, String>> settings) {
        Set<String> keys = new LinkedHashSet<>();
        settings.forEach(values -> keys.addAll(values.keySet()));
        return keys.stream()
                .filter(key -> settings.stream()
                                .map(values -> values.getOrDefault(key, ""))
                                .distinct()
                                .count()
                        > 1)
                .toList();
    }

    private void writeJobs(Path file) throws IOException {
        try (TableWriter out = TableWriter.create(file, SweepSchemas.JOBS)) {
            for (JobOutcome job : jobs) {
                out.put(job.num())
                        .put(job.status().text())
                        .put(job.run().map(RunRef::runId).orElse(""))
                        .put(String.join(" ", job.overrides()))
                        .put(job.error())
                        .endRow();
            }
        }
    }

    private void writeResults(Path file) throws IOException {
        try (TableWriter out = TableWriter.create(file, schema())) {
            for (int i = 0; i < jobs.size(); i++) {
                JobOutcome job = jobs.get(i);
                out.put(job.num());
                for (String key : swept) {
                    out.put(settings.get(i).getOrDefault(key, ""));
                }
                out.put(job.status().text()).put(job.run().map(RunRef::runId).orElse(""));
                for (String figure : figures) {
                    out.put(job.run().map(run -> run.meta().headlines().get(figure)));
                }
                out.endRow();
            }
        }
    }

    private TableSchema schema() {
        List<Column> columns = new ArrayList<>();
        columns.add(Column.int64("job", "", "Number of the job."));
        // the fixed columns keep their names; a key with the same name gets another column name
        Set<String> taken = new LinkedHashSet<>(List.of("job", "status", "run_id"));
        for (String key : swept) {
            columns.add(
                    Column.string(fresh(taken, key), "Value of the override.").orEmpty());
        }
        columns.add(Column.string("status", "How far the job is.").oneOf(JobStatus.texts()));
        columns.add(Column.string("run_id", "Run of the job.").orEmpty());
        for (String figure : figures) {
            columns.add(
                    Column.float64(fresh(taken, figure), "", "Headline figure.").orEmpty());
        }
        return new TableSchema(RESULTS, 1, "Figures of a sweep.", columns, List.of());
    }

    private static String fresh(Set<String> taken, String name) {
        String free = name;
        while (!taken.add(free)) {
            free = free + "_";
        }
        return free;
    }
}
