package dev.stagesim.serving;

import dev.stagesim.contract.Member;
import dev.stagesim.io.json.Json;
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

/** What decides how much can run at a time, and what the cache and the drafts of an engine brought. */
@Member("engine.json 1 | What a simulated engine worked with, where settings leave it to the memory planner.")
public record EngineDocument(
        @Member("Name of the engine.") String name,
        @Member("KV blocks of a replica.") long numBlocks,
        @Member("Tokens of a KV block.") int blockSize,
        @Member("Blocks that new requests leave free.") long watermarkBlocks,
        @Member("Longest sequence that memory is planned for, in tokens.") int maxModelLen,
        @Member(value = FORMED_BY, isLeftOut = true) Optional<String> scheduler,
        @Member(value = "Prompt tokens of admitted requests.", isLeftOut = true) Optional<Long> promptTokens,
        @Member(value = "Those that the cache had.", isLeftOut = true) Optional<Long> cachedTokens,
        @Member(value = "Times that a request lost its memory; SGLang's retractions.", isLeftOut = true)
                Optional<Long> preemptions,
        @Member(value = "Drafts that were verified.", isLeftOut = true) Optional<Long> draftTokens,
        @Member(value = "Drafts that were right.", isLeftOut = true) Optional<Long> acceptedTokens,
        @Member(value = WAVES, isLeftOut = true) Optional<Long> waves,
        @Member(value = "Steps of groups of such engines, each on all of them.", isLeftOut = true)
                Optional<Long> groupSteps,
        @Member(value = "Steps of one engine that had no request.", isLeftOut = true) Optional<Long> dummySteps,
        @Member(value = "Time of the steps with requests, over all engines.", isLeftOut = true)
                Optional<Double> stepSeconds,
        @Member(value = "Those seconds of it in which engines waited for slower ones.", isLeftOut = true)
                Optional<Double> waitSeconds,
        @Member(value = "LoRA adapters that were loaded into a slot, where there are slots.", isLeftOut = true)
                Optional<Long> adapterLoads,
        @Member(value = GROUPS, isLeftOut = true) Optional<String> kvGroups) {
    static final String FORMED_BY =
            "The engine that formed the batches, where it is one with a prefix cache; the figures below are absent without.";
    static final String WAVES = "Times that engines which share experts began to run, having paused; the next"
            + " four figures are there with it.";
    static final String GROUPS = "Kinds of layers that share the blocks, where there are several: for each"
            + " group what its layers attend to, and tokens of a block.";

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
        Optional<SchedulerSpec.VllmV1> vllm =
                spec.scheduler() instanceof SchedulerSpec.VllmV1 v1 ? Optional.of(v1) : Optional.empty();
        Json.writeDocument(
                out,
                new EngineDocument(
                        "stagesim",
                        plan.numBlocks(),
                        spec.scheduler().limits().blockSize(),
                        plan.watermarkBlocks(),
                        spec.maxTokens(),
                        figures.map(of -> spec.scheduler() instanceof SchedulerSpec.Sglang ? "sglang" : "vllm_v1"),
                        figures.map(EngineFigures::askedTokens),
                        figures.map(EngineFigures::hitTokens),
                        figures.map(EngineFigures::preemptions),
                        figures.map(EngineFigures::draftTokens),
                        figures.map(EngineFigures::acceptedTokens),
                        waves.map(WaveFigures::waves),
                        waves.map(WaveFigures::steps),
                        waves.map(WaveFigures::dummies),
                        waves.map(WaveFigures::stepSeconds),
                        waves.map(WaveFigures::waitSeconds),
                        vllm.filter(engine -> engine.lora().slots() > 0)
                                .flatMap(engine -> figures.map(EngineFigures::adapterLoads)),
                        vllm.filter(engine -> !engine.layers().isEmpty()).map(EngineDocument::groups)));
    }
}
