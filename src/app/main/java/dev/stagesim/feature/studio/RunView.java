package dev.stagesim.feature.studio;

import dev.stagesim.contract.TableFormat;
import dev.stagesim.feature.studio.Notes.Note;
import dev.stagesim.io.csv.CsvRows;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.RecordJson;
import dev.stagesim.model.KeyNames;
import dev.stagesim.model.Problem;
import dev.stagesim.model.Shell;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.RunCatalog;
import dev.stagesim.pipeline.WebApplication.Answer;
import dev.stagesim.pipeline.WebApplication.Commands;
import dev.stagesim.pipeline.store.RunMeta;
import dev.stagesim.pipeline.store.RunSubject;
import dev.stagesim.pipeline.store.RunSummary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One run: its metadata, its files, and its tables in pages, read through {@code stage table}. */
final class RunView {
    private static final int PAGE = 100;

    /** Maximum first row of a page, because a table is always read from its first row. */
    private static final int MAX_FIRST_ROW = 100_000;

    /** Maximum number of rows that are sorted, because sorting loads the whole table. */
    private static final long MAX_SORTED_ROWS = 1_000_000;

    private final RunFiles files;
    private final RunCatalog catalog;
    private final Notes notes;
    private final Commands commands;

    RunView(Path work, RunFiles files, Notes notes, Commands commands) {
        this.files = files;
        this.catalog = new RunCatalog(work);
        this.notes = notes;
        this.commands = commands;
    }

    RunSummary summary(String name) throws IOException {
        Path dir = files.run(name);
        return catalog.summary(
                name.substring(0, name.indexOf('/')), dir.getFileName().toString());
    }

    /** Returns the metadata of a run, which must be finished. */
    RunMeta meta(String name) throws IOException {
        RunSummary run = summary(name);
        return run.meta()
                .orElseThrow(() -> StageException.input(Problem.of("artifact error", name, "is not a finished run")
                        .note("found", KeyNames.constant(run.state()) + " " + run.problem())));
    }

    ApiResponse answer(String name) throws IOException {
        RunSummary run = summary(name);
        Note note = notes.of(name);
        var out = JsonValue.object()
                .put("run", name)
                .put("dir", run.dir().toString())
                .put("state", KeyNames.constant(run.state()))
                .put("problem", run.problem())
                .put("tags", JsonValue.strings(note.tags()))
                .put("note", note.text());
        if (run.meta().isPresent()) {
            RunMeta meta = run.meta().get();
            out.put("ended", meta.endedAt())
                    .put("started", meta.startedAt())
                    .put("subject", RecordJson.write(subject(run.dir(), meta)))
                    .put("commit", meta.gitCommit())
                    .put("overrides", JsonValue.strings(meta.config().overrides()))
                    .put("command", Shell.command(meta.runType(), meta.config().overrides()))
                    .put(
                            "again",
                            Shell.command(
                                    meta.runType(),
                                    List.of("--config-snapshot", run.dir().toString())))
                    .put("figures", figures(meta))
                    .put("settings", JsonValue.of(text(settings(name, meta))))
                    .put("warnings", JsonValue.strings(warnings(meta)))
                    .put("inputs", inputs(meta))
                    .put("outputs", outputs(run.dir(), meta));
        }
        return ApiResponse.json(out.build());
    }

    /**
     * Returns the complete configuration of a run, including its upstream runs; only its own part if the configuration
     * file is missing.
     */
    Map<String, String> settings(String name, RunMeta meta) throws IOException {
        Path config = files.run(name).resolve("config").resolve("config.json");
        return RunRow.settings(
                Files.isRegularFile(config, LinkOption.NOFOLLOW_LINKS)
                        ? Json.read(config).object()
                        : meta.params());
    }

    private static RunSubject subject(Path dir, RunMeta meta) throws IOException {
        return RunSubject.of(meta.model().orElse(""), meta.hardware().orElse(""), dir);
    }

    private static List<String> warnings(RunMeta meta) {
        List<String> all = new ArrayList<>();
        meta.checks().forEach(check -> all.add("check failed: " + check.where() + ": " + check.what()));
        meta.warnings().forEach(warning -> all.add(warning.stage() + ": " + warning.message()));
        return all;
    }

    static JsonValue.Obj figures(RunMeta meta) {
        Map<String, JsonValue> figures = new LinkedHashMap<>();
        meta.headlines().forEach((name, value) -> {
            if (Double.isFinite(value)) {
                figures.put(name, JsonValue.of(value.doubleValue()));
            }
        });
        return JsonValue.of(figures);
    }

    private static Map<String, JsonValue> text(Map<String, String> settings) {
        Map<String, JsonValue> values = new LinkedHashMap<>();
        settings.forEach((key, value) -> values.put(key, JsonValue.of(value)));
        return values;
    }

    private static JsonValue inputs(RunMeta meta) {
        return JsonValue.of(meta.inputs().stream()
                .map(input -> JsonValue.object()
                        .put("role", input.role())
                        .put("path", input.path())
                        .putOrNull("run", input.runId())
                        .build())
                .toList());
    }

    private static JsonValue outputs(Path dir, RunMeta meta) throws IOException {
        List<JsonValue> all = new ArrayList<>();
        for (RunMeta.Output output : meta.outputs()) {
            Path file = dir.resolve(output.path());
            all.add(JsonValue.object()
                    .put("path", output.path())
                    .put("rows", output.rows().<JsonValue>map(JsonValue::of).orElse(JsonValue.NULL))
                    .put("bytes", Files.isRegularFile(file) ? Files.size(file) : -1)
                    .build());
        }
        return JsonValue.of(all);
    }

    /**
     * Returns the file of a table.
     *
     * @param table name of the table without an extension
     */
    Path table(String name, String table) throws IOException {
        RunMeta meta = meta(name);
        if (table.startsWith("-") || table.startsWith("@")) {
            throw StageException.input(Problem.of(
                    "artifact error", name, "has '" + table + "', which is not a valid table name for a command"));
        }
        String file = meta.outputs().stream()
                .map(RunMeta.Output::path)
                .filter(path -> isTable(path, table))
                .findFirst()
                .orElseThrow(
                        () -> StageException.input(Problem.of("artifact error", name, "has no table '" + table + "'")));
        return files.file(files.run(name), List.of(file.split("/", -1)));
    }

    private static boolean isTable(String file, String table) {
        return TableFormat.isTable(file) && TableFormat.name(file).equals(table);
    }

    /** Returns the columns of a table. */
    List<String> columns(String name, String table) throws IOException {
        try (CsvRows rows = CsvRows.open(table(name, table))) {
            return rows.header();
        }
    }

    /** Returns one page of a table, with conditions and order as in {@code stage table}. */
    ApiResponse table(ApiRequest call) throws IOException {
        String name = call.text("run");
        String table = call.text("table");
        List<String> columns = columns(name, table);
        int from = call.count("from", 0, MAX_FIRST_ROW);
        List<String> words = new ArrayList<>(List.of("table", files.run(name).toString(), table, "--format=json"));
        words.add("--limit=" + (from + PAGE + 1));
        for (String condition : call.all("where")) {
            if (!condition.isBlank()) {
                words.add("--where=" + condition.strip());
            }
        }
        if (!call.text("sort").isEmpty()) {
            refuseLarge(name, table);
            words.add("--sort=" + call.text("sort"));
        }
        Answer answer = commands.run(words);
        if (answer.code() != 0) {
            return ApiResponse.refuse(400, answer.err().strip());
        }
        List<JsonValue> rows = Json.parse(answer.out(), table).array().items();
        boolean more = rows.size() > from + PAGE;
        boolean last = from + PAGE > MAX_FIRST_ROW;
        return ApiResponse.json(JsonValue.object()
                .put("columns", JsonValue.strings(columns))
                .put("from", from)
                .put("more", more && !last)
                .put("end", more && last ? "further rows are not shown here: filter, or use stage table" : "")
                .put("rows", JsonValue.of(rows.stream().skip(from).limit(PAGE).toList()))
                .put("command", Shell.stage(words.subList(0, words.size() - (words.size() > 5 ? 0 : 1))))
                .build());
    }

    private void refuseLarge(String name, String table) throws IOException {
        long rows = meta(name).outputs().stream()
                .filter(output -> isTable(output.path(), table))
                .mapToLong(output -> output.rows().orElse(0L))
                .sum();
        if (rows > MAX_SORTED_ROWS) {
            throw StageException.input(Problem.usage(
                    table,
                    "has " + rows + " rows; the studio sorts at most " + MAX_SORTED_ROWS + ": filter instead, or use"
                            + " stage table"));
        }
    }
}
