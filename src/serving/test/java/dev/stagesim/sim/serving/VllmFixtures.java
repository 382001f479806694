package dev.stagesim.sim.serving;

import static java.util.Map.entry;

import dev.stagesim.model.KeyRecord;
import dev.stagesim.sim.kernels.ContextSharding;
import dev.stagesim.sim.serving.policy.Acceptance;
import dev.stagesim.sim.serving.policy.VllmSettings;
import dev.stagesim.sim.serving.policy.VllmSettings.StepTokens;
import dev.stagesim.sim.serving.settings.Speculation;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import java.util.List;
import java.util.Map;

/** Creates schedulers of vLLM V1 from the defaults. Tests state only the values that differ. */
public final class VllmFixtures {
    private VllmFixtures() {}

    public static VllmSettings settings(int seqs, int tokens, Map<String, ?> changes) {
        VllmSettings defaults = KeyRecord.of(
                VllmSettings.class,
                Map.ofEntries(
                        entry("maxNumSeqs", seqs),
                        entry("tokens", StepTokens.of(tokens)),
                        entry("pacing", VllmSettings.Pacing.NONE),
                        entry("chunkedPrefill", true),
                        entry("byPriority", false),
                        entry("watermark", 0),
                        entry("reserveFullSequence", true),
                        entry("asyncScheduling", false),
                        entry("pipelineStages", 1),
                        entry("maxLoras", 0),
                        entry("speculation", Speculation.NONE),
                        entry("version", VllmSettings.Version.NEWEST)));
        return KeyRecord.with(VllmSettings.class, defaults, changes);
    }

    public static SchedulerSpec.VllmV1 engine(VllmSettings settings, long blocks, Map<String, ?> changes) {
        SchedulerSpec.VllmV1 defaults = KeyRecord.of(
                SchedulerSpec.VllmV1.class,
                Map.ofEntries(
                        entry("settings", settings),
                        entry("blockSize", 16),
                        entry("numBlocks", blocks),
                        entry("share", new SchedulerSpec.Share(0.9, false)),
                        entry("profiledBytes", 0),
                        entry("cachesPrefixes", true),
                        entry("acceptance", Acceptance.of(List.of(0.5))),
                        entry("lora", SchedulerSpec.Lora.NONE),
                        entry("layers", List.of()),
                        entry("contextSharding", ContextSharding.NONE)));
        return KeyRecord.with(SchedulerSpec.VllmV1.class, defaults, changes);
    }

    /** Returns the engine with a number of pipeline stages. Other schedulers do not depend on it. */
    public static SchedulerSpec onStages(SchedulerSpec scheduler, int stages) {
        if (!(scheduler instanceof SchedulerSpec.VllmV1 engine)) {
            return scheduler;
        }
        VllmSettings settings = KeyRecord.with(VllmSettings.class, engine.settings(), Map.of("pipelineStages", stages));
        return KeyRecord.with(SchedulerSpec.VllmV1.class, engine, Map.of("settings", settings));
    }
}
