package dev.stagesim.pipeline;

import dev.stagesim.contract.JsonArtifacts;
import dev.stagesim.contract.JsonField;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonAt;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.RecordJson;
import dev.stagesim.io.json.SteadyMembers;
import java.util.List;
import java.util.regex.Pattern;

/** Reads and writes {@code run_meta.json}. */
final class RunMetaJson {
    static final String FILE = JsonArtifacts.RUN_META.name();
    private static final String VERSION = "schema_version";
    private static final Pattern SHA256 = Pattern.compile("[0-9a-f]{64}");

    private RunMetaJson() {}

    /** Digest of all that is not volatile. */
    static String digest(RunMeta meta) {
        return Digests.sha256(Json.compact(SteadyMembers.of(JsonArtifacts.RUN_META, write(meta))));
    }

    static JsonValue.Obj write(RunMeta meta) {
        return RecordJson.write(meta).with(VERSION, JsonValue.of((long) JsonArtifacts.RUN_META.version()));
    }

    /** Reads a document; whatever differs from the contract is the user's error, with its place. */
    static RunMeta read(JsonAt at) {
        at.allowOnly(
                JsonArtifacts.RUN_META.fields().stream().map(JsonField::name).toList());
        JsonAt version = at.get(VERSION);
        if (version.asLong() != JsonArtifacts.RUN_META.version()) {
            throw version.expected("contract version " + JsonArtifacts.RUN_META.version());
        }
        RunMeta meta = RecordJson.read(at, RunMeta.class);
        for (String list : List.of("inputs", "outputs")) {
            for (JsonAt item : at.get(list).items()) {
                JsonAt digest = item.get("sha256");
                if (!SHA256.matcher(digest.asString()).matches()) {
                    throw digest.expected("64 hex digits");
                }
            }
        }
        return meta;
    }
}
