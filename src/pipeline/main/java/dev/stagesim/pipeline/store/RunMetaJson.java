package dev.stagesim.pipeline.store;

import dev.stagesim.contract.JsonArtifacts;
import dev.stagesim.io.json.DigestedMembers;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonBinder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.json.RecordJson;
import dev.stagesim.model.KeyNames;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Pattern;

/** Reads and writes {@code run_meta.json}. */
public final class RunMetaJson {
    public static final String FILE = JsonArtifacts.RUN_META.name();
    private static final String VERSION = "schema_version";
    private static final Pattern SHA256 = Pattern.compile("[0-9a-f]{64}");

    private RunMetaJson() {}

    /** Returns the digest of all members that are not volatile. */
    public static String digest(RunMeta meta) {
        return Digests.sha256(Json.compact(DigestedMembers.of(JsonArtifacts.RUN_META, write(meta))));
    }

    public static JsonValue.Obj write(RunMeta meta) {
        return RecordJson.write(meta).with(VERSION, JsonValue.of((long) JsonArtifacts.RUN_META.version()));
    }

    /** Reads the document of a finished run. Deviations from the contract are input errors with their position. */
    public static RunMeta read(Path file) throws IOException {
        RunMeta meta = valid(file);
        List<String> digests = new ArrayList<>();
        meta.inputs().forEach(input -> digests.add(input.sha256()));
        meta.outputs().forEach(output -> digests.add(output.sha256()));
        digests.stream()
                .filter(digest -> !SHA256.matcher(digest).matches())
                .findFirst()
                .ifPresent(digest -> {
                    throw StageException.input(Problem.artifact(
                            file.toString(), "found the sha256 " + Json.quoted(digest) + ", expected 64 hex digits"));
                });
        return meta;
    }

    /** Reads a valid document without the binder, which takes longer to load than to reuse a run, or else with it. */
    private static RunMeta valid(Path file) throws IOException {
        try {
            return meta(Json.read(file));
        } catch (StageException invalid) {
            return JsonBinder.OWN.read(file, RunMeta.class, JsonArtifacts.RUN_META);
        }
    }

    /**
     * Returns the record of a document.
     *
     * @throws StageException if the document is invalid, or has failed checks
     */
    private static RunMeta meta(LocatedJson document) {
        allowOnly(document, RunMeta.class, VERSION);
        LocatedJson config = document.get("config");
        allowOnly(config, RunMeta.Config.class);
        LocatedJson checks = document.get("checks");
        if (document.get(VERSION).asLong() != JsonArtifacts.RUN_META.version()
                || !checks.array().items().isEmpty()) {
            throw checks.expected("a finished run");
        }
        SortedMap<String, Double> headlines = new TreeMap<>();
        document.get("headlines").members().forEach((name, value) -> headlines.put(name, value.asDouble()));
        return new RunMeta(
                document.get("run_id").asString(),
                document.get("run_type").asString(),
                optional(document, "model", LocatedJson::asString),
                optional(document, "hardware", LocatedJson::asString),
                document.get("started_at").asString(),
                document.get("ended_at").asString(),
                document.get("git_commit").asString(),
                optional(document, "git_dirty", LocatedJson::asBool),
                document.get("env").object(),
                document.get("params").object(),
                new RunMeta.Config(
                        optional(config, "path", LocatedJson::asString),
                        optional(config, "name", LocatedJson::asString),
                        config.get("overrides").asStrings()),
                items(document.get("inputs"), RunMeta.Input.class, RunMetaJson::input),
                items(document.get("outputs"), RunMeta.Output.class, RunMetaJson::output),
                items(document.get("warnings"), RunMeta.Warning.class, RunMetaJson::warning),
                headlines,
                List.of());
    }

    private static RunMeta.Input input(LocatedJson input) {
        return new RunMeta.Input(
                input.get("role").asString(),
                input.get("path").asString(),
                optional(input, "run_id", LocatedJson::asString),
                input.get("sha256").asString());
    }

    private static RunMeta.Output output(LocatedJson output) {
        return new RunMeta.Output(
                output.get("path").asString(),
                output.get("sha256").asString(),
                optional(output, "rows", LocatedJson::asLong));
    }

    private static RunMeta.Warning warning(LocatedJson warning) {
        return new RunMeta.Warning(
                warning.get("stage").asString(), warning.get("message").asString());
    }

    private static <R extends Record> List<R> items(LocatedJson array, Class<R> type, Function<LocatedJson, R> item) {
        array.items().forEach(value -> allowOnly(value, type));
        return array.items().stream().map(item).toList();
    }

    /** Returns a member that must be present, or empty if it is null. */
    private static <T> Optional<T> optional(LocatedJson object, String name, Function<LocatedJson, T> as) {
        LocatedJson member = object.get(name);
        return member.isNull() ? Optional.empty() : Optional.of(as.apply(member));
    }

    private static void allowOnly(LocatedJson object, Class<? extends Record> type, String... others) {
        List<String> names = new ArrayList<>(List.of(others));
        KeyRecord.components(type).forEach(component -> names.add(KeyNames.snake(component.getName())));
        object.allowOnly(names);
    }
}
