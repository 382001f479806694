package dev.stagesim.serving;

import dev.stagesim.contract.JsonArtifacts;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.sim.serving.MemoryPlan;
import dev.stagesim.sim.serving.SchedulerSpec;
import dev.stagesim.sim.serving.ServingOutcome.EngineFigures;
import dev.stagesim.sim.serving.ServingOutcome.WaveFigures;
import dev.stagesim.sim.serving.ServingSpec;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** Writes {@code engine.json}: what decides how much can run at a time, for comparisons with measured engines, and what
 * the cache and the drafts of an engine brought. */
public final class EngineFile {
    private EngineFile() {}

    /** The groups of layers that share blocks, in words. */
    public static String groups(SchedulerSpec.VllmV1 engine) {
        return engine.groups().stream()
                .map(group -> group.kind().name().toLowerCase(Locale.ROOT).replace('_', ' ')
                        + (group.window() > 0 ? " of " + group.window() : "") + " in blocks of "
                        + group.blockSize())
                .collect(Collectors.joining(", "));
    }

    /** Writes it into a directory. */
    public static void write(
            Path out, ServingSpec spec, MemoryPlan plan, Optional<EngineFigures> figures, Optional<WaveFigures> waves)
            throws IOException {
        JsonObjectBuilder engine = JsonValue.object()
                .put("schema_version", JsonArtifacts.ENGINE.version())
                .put("name", "stagesim")
                .put("num_blocks", plan.numBlocks())
                .put("block_size", (long) spec.scheduler().limits().blockSize())
                .put("watermark_blocks", plan.watermarkBlocks())
                .put("max_model_len", (long) spec.maxTokens());
        figures.ifPresent(
                of -> engine.put("scheduler", spec.scheduler() instanceof SchedulerSpec.Sglang ? "sglang" : "vllm_v1")
                        .put("prompt_tokens", of.askedTokens())
                        .put("cached_tokens", of.hitTokens())
                        .put("preemptions", of.preemptions())
                        .put("draft_tokens", of.draftTokens())
                        .put("accepted_tokens", of.acceptedTokens()));
        waves.ifPresent(of -> engine.put("waves", of.waves())
                .put("group_steps", of.steps())
                .put("dummy_steps", of.dummies())
                .put("step_seconds", of.stepSeconds())
                .put("wait_seconds", of.waitSeconds()));
        if (spec.scheduler() instanceof SchedulerSpec.VllmV1 vllm) {
            if (vllm.lora().slots() > 0) {
                figures.ifPresent(of -> engine.put("adapter_loads", of.adapterLoads()));
            }
            if (!vllm.layers().isEmpty()) {
                engine.put("kv_groups", groups(vllm));
            }
        }
        Json.write(out.resolve(JsonArtifacts.ENGINE.name()), JsonArtifacts.ENGINE, engine.build());
    }
}
