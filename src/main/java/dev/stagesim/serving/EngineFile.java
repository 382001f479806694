package dev.stagesim.serving;

import dev.stagesim.contract.JsonArtifacts;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.sim.serving.MemoryPlan;
import dev.stagesim.sim.serving.ServingSpec;
import java.io.IOException;
import java.nio.file.Path;

/** Writes {@code engine.json}: what decides how much can run at a time, for comparisons with measured engines. */
public final class EngineFile {
    private EngineFile() {}

    /** Writes it into a directory. */
    public static void write(Path out, ServingSpec spec, MemoryPlan plan) throws IOException {
        JsonValue engine = JsonValue.object()
                .put("schema_version", JsonArtifacts.ENGINE.version())
                .put("name", "stagesim")
                .put("num_blocks", plan.numBlocks())
                .put("block_size", (long) spec.scheduler().limits().blockSize())
                .put("watermark_blocks", plan.watermarkBlocks())
                .put("max_model_len", (long) spec.maxTokens())
                .build();
        Json.write(out.resolve(JsonArtifacts.ENGINE.name()), JsonArtifacts.ENGINE, engine);
    }
}
