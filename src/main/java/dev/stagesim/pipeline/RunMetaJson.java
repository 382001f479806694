package dev.stagesim.pipeline;

import dev.stagesim.contract.JsonArtifacts;
import dev.stagesim.contract.JsonField;
import dev.stagesim.io.json.ArtifactSchemas;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonAt;
import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.Problem;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Reads and writes {@code run_meta.json}. */
final class RunMetaJson {
    static final String FILE = JsonArtifacts.RUN_META.name();

    private RunMetaJson() {}

    /** Digest of all that is not volatile. */
    static String digest(RunMeta meta) {
        return Digests.sha256(Json.compact(ArtifactSchemas.steady(JsonArtifacts.RUN_META, write(meta))));
    }

    static JsonValue.Obj write(RunMeta meta) {
        JsonObjectBuilder headlines = JsonValue.object();
        meta.headlines().forEach(headlines::put);
        return JsonValue.object()
                .put("schema_version", JsonArtifacts.RUN_META.version())
                .put("run_id", meta.runId())
                .put("run_type", meta.runType())
                .putOrNull("model", meta.model())
                .putOrNull("hardware", meta.hardware())
                .put("started_at", meta.startedAt())
                .put("ended_at", meta.endedAt())
                .put("git_commit", meta.git().commit())
                .put("git_dirty", meta.git().dirty().map(JsonValue::of).orElse(JsonValue.NULL))
                .put("env", meta.env())
                .put("params", meta.params())
                .put("config", config(meta.config()))
                .put(
                        "inputs",
                        JsonValue.of(
                                meta.inputs().stream().map(RunMetaJson::input).toList()))
                .put(
                        "outputs",
                        JsonValue.of(
                                meta.outputs().stream().map(RunMetaJson::output).toList()))
                .put("warnings", JsonValue.strings(meta.warnings()))
                .put("headlines", headlines.build())
                .put(
                        "checks",
                        JsonValue.of(
                                meta.checks().stream().map(RunMetaJson::check).toList()))
                .build();
    }

    private static JsonValue config(RunMeta.Config config) {
        return JsonValue.object()
                .putOrNull("path", config.path())
                .putOrNull("name", config.name())
                .put("overrides", JsonValue.strings(config.overrides()))
                .build();
    }

    private static JsonValue input(RunMeta.Input input) {
        return JsonValue.object()
                .put("role", input.role())
                .put("path", input.path())
                .putOrNull("run_id", input.runId())
                .put("sha256", input.sha256())
                .build();
    }

    private static JsonValue output(RunMeta.Output output) {
        return JsonValue.object()
                .put("path", output.path())
                .put("sha256", output.sha256())
                .put(
                        "rows",
                        output.rows().map(rows -> JsonValue.of((long) rows)).orElse(JsonValue.NULL))
                .build();
    }

    private static JsonValue check(Problem check) {
        return JsonValue.object()
                .put("category", check.category())
                .put("where", check.where())
                .put("what", check.what())
                .put(
                        "notes",
                        JsonValue.of(
                                check.notes().stream().map(RunMetaJson::note).toList()))
                .build();
    }

    private static JsonValue note(Problem.Note note) {
        return JsonValue.object()
                .put("label", note.label())
                .put("text", note.text())
                .build();
    }

    /** Reads a document; whatever differs from the contract is the user's error, with its place. */
    static RunMeta read(JsonAt at) {
        at.allowOnly(
                JsonArtifacts.RUN_META.fields().stream().map(JsonField::name).toList());
        JsonAt version = at.get("schema_version");
        if (version.asLong() != JsonArtifacts.RUN_META.version()) {
            throw version.expected("contract version " + JsonArtifacts.RUN_META.version());
        }
        JsonAt config = at.get("config");
        return new RunMeta(
                at.get("run_id").asString(),
                at.get("run_type").asString(),
                optional(at, "model"),
                optional(at, "hardware"),
                at.get("started_at").asString(),
                at.get("ended_at").asString(),
                new RunMeta.Git(
                        at.get("git_commit").asString(), at.find("git_dirty").map(JsonAt::asBool)),
                at.get("env").object(),
                at.get("params").object(),
                new RunMeta.Config(
                        optional(config, "path"),
                        optional(config, "name"),
                        config.get("overrides").asStrings()),
                at.get("inputs").items().stream().map(RunMetaJson::readInput).toList(),
                at.get("outputs").items().stream().map(RunMetaJson::readOutput).toList(),
                at.get("warnings").asStrings(),
                readHeadlines(at.get("headlines")),
                at.get("checks").items().stream().map(RunMetaJson::readCheck).toList());
    }

    private static Optional<String> optional(JsonAt at, String name) {
        return at.get(name).isNull()
                ? Optional.empty()
                : Optional.of(at.get(name).asString());
    }

    private static RunMeta.Input readInput(JsonAt at) {
        return new RunMeta.Input(
                at.get("role").asString(), at.get("path").asString(), optional(at, "run_id"), sha256(at.get("sha256")));
    }

    private static RunMeta.Output readOutput(JsonAt at) {
        return new RunMeta.Output(
                at.get("path").asString(),
                sha256(at.get("sha256")),
                at.find("rows").map(JsonAt::asLong));
    }

    private static String sha256(JsonAt at) {
        String text = at.asString();
        if (!text.matches("[0-9a-f]{64}")) {
            throw at.expected("64 hex digits");
        }
        return text;
    }

    private static SortedMap<String, Double> readHeadlines(JsonAt at) {
        SortedMap<String, Double> headlines = new TreeMap<>();
        for (Map.Entry<String, JsonAt> member : at.members().entrySet()) {
            headlines.put(member.getKey(), member.getValue().asDouble());
        }
        return headlines;
    }

    private static Problem readCheck(JsonAt at) {
        List<Problem.Note> notes = at.get("notes").items().stream()
                .map(note -> new Problem.Note(
                        note.get("label").asString(), note.get("text").asString()))
                .toList();
        return new Problem(
                at.get("category").asString(),
                at.get("where").asString(),
                at.get("what").asString(),
                notes);
    }
}
