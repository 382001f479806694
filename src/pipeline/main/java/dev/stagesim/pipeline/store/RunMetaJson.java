package dev.stagesim.pipeline.store;

import dev.stagesim.contract.JsonArtifacts;
import dev.stagesim.io.json.DigestedMembers;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonBinder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.RecordJson;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
        RunMeta meta = JsonBinder.OWN.read(file, RunMeta.class, JsonArtifacts.RUN_META);
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
}
