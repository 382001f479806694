package dev.stagesim.serving;

import dev.stagesim.contract.Member;
import dev.stagesim.io.json.Json;
import dev.stagesim.model.KeyNames;
import dev.stagesim.model.Unwrapped;
import dev.stagesim.sim.serving.WaveCounters;
import dev.stagesim.sim.serving.replica.EngineCounters;
import dev.stagesim.sim.serving.spec.MemoryPlan;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.sim.serving.spec.ServingSpec;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Collectors;

/** Limits of a simulated engine, and statistics of its cache and drafts. */
@Member("engine.json 1 | Limits of a simulated engine that the memory planner determines, and " + "statistics.")
public record EngineDocument(
        @Member("Name of the engine.") String name,
        @Unwrapped PlannedLimits limits,
        @Unwrapped CacheStatistics cache,
        @Unwrapped WaveStatistics lockstep,
        @Member(value = "Loads of LoRA adapters into slots.", isLeftOut = true) Optional<Long> adapterLoads,
        @Member(value = GROUPS, isLeftOut = true) Optional<String> kvGroups) {
    /** Limits that the memory planner determines. */
    public record PlannedLimits(
            @Member("KV blocks of a replica.") long numBlocks,
            @Member("Tokens of a KV block.") int blockSize,
            @Member("KV blocks that admission leaves free.") long watermarkBlocks,
            @Member("Sequence length that the memory plan reserves, in tokens.") int maxModelLen) {}

    /** Statistics of prefix cache and drafts. */
    public record CacheStatistics(
            @Member(value = FORMED_BY, isLeftOut = true) Optional<String> scheduler,
            @Member(value = "Prompt tokens of admitted requests.", isLeftOut = true) Optional<Long> promptTokens,
            @Member(value = "Prompt tokens found in the prefix cache.", isLeftOut = true) Optional<Long> cachedTokens,
            @Member(value = "Preemptions (retractions in SGLang).", isLeftOut = true) Optional<Long> preemptions,
            @Member(value = "Verified draft tokens.", isLeftOut = true) Optional<Long> draftTokens,
            @Member(value = "Accepted draft tokens.", isLeftOut = true) Optional<Long> acceptedTokens) {}

    /** Statistics of engines in lockstep. */
    public record WaveStatistics(
            @Member(value = WAVES, isLeftOut = true) Optional<Long> waves,
            @Member(value = "Lockstep steps of groups of engines.", isLeftOut = true) Optional<Long> groupSteps,
            @Member(value = "Engine steps without requests (dummy batches).", isLeftOut = true)
                    Optional<Long> dummySteps,
            @Member(value = "Time of steps with requests, summed over engines.", isLeftOut = true)
                    Optional<Double> stepSeconds,
            @Member(value = "Part of step_seconds in which engines waited for slower engines.", isLeftOut = true)
                    Optional<Double> waitSeconds) {}

    static final String FORMED_BY = "Scheduler, if it has a prefix cache; otherwise it and the next values are absent.";
    static final String WAVES =
            "Waves: periods without pause of engines that share experts. The next four values are present "
                    + "with it.";
    static final String GROUPS =
            "Groups of layers that share blocks, if there are several: attention and block size of each " + "group.";

    /** Returns the groups of layers that share blocks as text. */
    public static String groups(SchedulerSpec.VllmV1 engine) {
        return engine.groups().stream()
                .map(group -> KeyNames.constant(group.kind()).replace('_', ' ')
                        + (group.window() > 0 ? " of " + group.window() : "") + " in blocks of "
                        + group.blockSize())
                .collect(Collectors.joining(", "));
    }

    /** Writes the document into a directory. */
    public static void write(
            Path out, ServingSpec spec, MemoryPlan plan, Optional<EngineCounters> figures, Optional<WaveCounters> waves)
            throws IOException {
        Optional<SchedulerSpec.VllmV1> vllm =
                spec.scheduler() instanceof SchedulerSpec.VllmV1 v1 ? Optional.of(v1) : Optional.empty();
        Json.writeDocument(
                out,
                new EngineDocument(
                        "stagesim",
                        new PlannedLimits(
                                plan.numBlocks(),
                                spec.scheduler().limits().blockSize(),
                                plan.watermarkBlocks(),
                                spec.maxTokens()),
                        new CacheStatistics(
                                figures.map(
                                        of -> spec.scheduler() instanceof SchedulerSpec.Sglang ? "sglang" : "vllm_v1"),
                                figures.map(EngineCounters::lookupTokens),
                                figures.map(EngineCounters::hitTokens),
                                figures.map(EngineCounters::preemptions),
                                figures.map(EngineCounters::draftTokens),
                                figures.map(EngineCounters::acceptedTokens)),
                        new WaveStatistics(
                                waves.map(WaveCounters::waves),
                                waves.map(WaveCounters::steps),
                                waves.map(WaveCounters::dummies),
                                waves.map(WaveCounters::stepSeconds),
                                waves.map(WaveCounters::waitSeconds)),
                        vllm.filter(engine -> engine.lora().slots() > 0)
                                .flatMap(engine -> figures.map(EngineCounters::adapterLoads)),
                        vllm.filter(engine -> !engine.layers().isEmpty()).map(EngineDocument::groups)));
    }
}
