package dev.stagesim.feature.studio;

import dev.stagesim.io.csv.LooseTable;
import dev.stagesim.io.gzip.Directories;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.Count;
import dev.stagesim.model.Shell;
import dev.stagesim.model.StageException;
import dev.stagesim.report.Explorer;
import dev.stagesim.report.Report;
import dev.stagesim.sweep.JobStatus;
import dev.stagesim.sweep.Spread;
import dev.stagesim.sweep.SweepInvocation;
import dev.stagesim.sweep.SweepSchemas;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Sweeps in progress or finished: their jobs, the metrics of their runs, and the share of variance that each key
 * explains.
 */
final class SweepView {
    private static final String SWEEPS = "sweeps";
    private static final int MAX_LISTED = 200;

    private final Path root;
    private final RunFiles files;
    private final RunIndex index;

    /** A job: number, status, run, overrides, and the metrics of its run. */
    private record Job(String num, String status, String run, Map<String, String> sets, Map<String, Double> figures) {}

    /** Jobs of a sweep, the keys that differ between them, and the available metrics. */
    private record Jobs(List<Job> jobs, List<String> keys, List<String> figures) {}

    SweepView(Path work, RunFiles files, RunIndex index) {
        this.root = work.resolve("tmp").resolve(SWEEPS);
        this.files = files;
        this.index = index;
    }

    /** Returns the most recently written sweeps. */
    ApiResponse list() throws IOException {
        List<JsonValue> all = new ArrayList<>();
        for (Path dir : latest()) {
            Map<String, Integer> counts = new TreeMap<>();
            jobs(dir, Map.of()).jobs().forEach(job -> counts.merge(job.status(), 1, Integer::sum));
            all.add(head(dir)
                    .with(
                            "jobs",
                            JsonValue.of(counts.values().stream()
                                    .mapToInt(Integer::intValue)
                                    .sum()))
                    .with("counts", counts(counts)));
        }
        return ApiResponse.json(JsonValue.of(all));
    }

    private List<Path> latest() throws IOException {
        Map<String, Path> byTime = new TreeMap<>();
        try {
            for (Path dir : Directories.list(root, path -> true)) {
                Path jobs = dir.resolve(SweepSchemas.JOBS.name());
                if (!dir.getFileName().toString().startsWith(".") && Files.isRegularFile(jobs)) {
                    byTime.put(Files.getLastModifiedTime(jobs) + " " + dir.getFileName(), dir);
                }
            }
        } catch (NoSuchFileException none) {
            return List.of();
        }
        List<Path> all = new ArrayList<>(byTime.values());
        java.util.Collections.reverse(all);
        return all.subList(0, Math.min(all.size(), MAX_LISTED));
    }

    private static JsonValue.Obj head(Path dir) throws IOException {
        String command = "";
        try {
            SweepInvocation invocation = SweepInvocation.read(dir);
            List<String> words = new ArrayList<>(List.of(invocation.stage(), "-m"));
            words.addAll(invocation.words());
            words.addAll(invocation.sweep());
            command = Shell.stage(words);
        } catch (StageException unknown) {
            // An older or partial sweep does not contain its command line.
        }
        return JsonValue.object()
                .put("id", dir.getFileName().toString())
                .put("command", command)
                .put(
                        "ended",
                        Files.getLastModifiedTime(dir.resolve(SweepSchemas.JOBS.name()))
                                .toString())
                .put("report", Files.isRegularFile(dir.resolve("report.html")))
                .build();
    }

    private static JsonValue counts(Map<String, Integer> counts) {
        Map<String, JsonValue> members = new TreeMap<>();
        counts.forEach((status, count) -> members.put(status, JsonValue.of((long) count)));
        return JsonValue.of(members);
    }

    /** Returns a sweep: its progress, and the share of each metric's variance that each key explains. */
    ApiResponse answer(String id) throws IOException {
        Path dir = files.run(SWEEPS, id);
        Jobs all = jobs(dir, figures());
        Map<String, Integer> counts = new TreeMap<>();
        all.jobs().forEach(job -> counts.merge(job.status(), 1, Integer::sum));
        boolean open = all.jobs().stream().anyMatch(job -> job.status().equals(JobStatus.PENDING.text()));
        return ApiResponse.json(head(dir)
                .with("jobs", JsonValue.of(all.jobs().size()))
                .with("counts", counts(counts))
                .with("open", JsonValue.of(open))
                .with("keys", JsonValue.strings(all.keys()))
                .with("shares", shares(all)));
    }

    private static JsonValue shares(Jobs all) {
        Map<String, JsonValue> shares = new LinkedHashMap<>();
        for (String figure : all.figures()) {
            List<Job> with = all.jobs().stream()
                    .filter(job -> job.figures().containsKey(figure))
                    .toList();
            double[] values =
                    with.stream().mapToDouble(job -> job.figures().get(figure)).toArray();
            List<JsonValue> byKey = new ArrayList<>();
            for (String key : all.keys()) {
                double share = Spread.share(
                        with.stream()
                                .map(job -> job.sets().getOrDefault(key, ""))
                                .toList(),
                        values);
                byKey.add(Double.isNaN(share) ? JsonValue.NULL : JsonValue.of(share));
            }
            shares.put(figure, JsonValue.of(byKey));
        }
        return JsonValue.of(shares);
    }

    /** Returns the explorer page of the report for the current jobs. */
    ApiResponse page(String id) throws IOException {
        Jobs all = jobs(files.run(SWEEPS, id), figures());
        Explorer rows = new Explorer("job", all.keys(), List.of("run"), all.figures());
        all.jobs().forEach(job -> rows.row(Integer.parseInt(job.num()), job.sets(), List.of(job.run()), job.figures()));
        Report report = new Report("Jobs of " + id).answer(Count.of(all.jobs().size(), "job") + ".");
        return ApiResponse.foreignPage(report.explorer(rows).html());
    }

    /** Returns the metrics of all indexed runs by run id. */
    private Map<String, RunRow> figures() {
        Map<String, RunRow> byId = new HashMap<>();
        index.listing().rows().forEach(row -> byId.put(row.id(), row));
        return byId;
    }

    private static Jobs jobs(Path dir, Map<String, RunRow> runs) throws IOException {
        LooseTable table = LooseTable.read(dir.resolve(SweepSchemas.JOBS.name()));
        List<Job> jobs = new ArrayList<>();
        Map<String, Set<String>> values = new LinkedHashMap<>();
        Set<String> figures = new LinkedHashSet<>();
        for (int i = 0; i < table.size(); i++) {
            Map<String, String> sets = new LinkedHashMap<>();
            for (String word : table.text(i, "overrides").split(" ", -1)) {
                int equals = word.indexOf('=');
                if (equals > 0) {
                    sets.put(word.substring(0, equals), word.substring(equals + 1));
                    values.computeIfAbsent(word.substring(0, equals), key -> new LinkedHashSet<>())
                            .add(word.substring(equals + 1));
                }
            }
            Map<String, Double> found = new TreeMap<>();
            RunRow run = runs.get(table.text(i, "run_id"));
            if (run != null) {
                for (int k = 0; k < run.figures().names().size(); k++) {
                    found.put(
                            run.figures().names().get(k), run.figures().values().get(k));
                }
            }
            figures.addAll(found.keySet());
            jobs.add(new Job(table.text(i, "job"), table.text(i, "status"), table.text(i, "run_id"), sets, found));
        }
        List<String> keys = values.entrySet().stream()
                .filter(key -> key.getValue().size() > 1)
                .map(Map.Entry::getKey)
                .toList();
        return new Jobs(jobs, keys, List.copyOf(figures));
    }
}
