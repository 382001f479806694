package dev.stagesim.sim.serving;

import dev.stagesim.model.KeyRecord;
import dev.stagesim.sim.kernels.ContextSharding;
import dev.stagesim.sim.serving.policy.Acceptance;
import dev.stagesim.sim.serving.policy.Speculation;
import dev.stagesim.sim.serving.policy.VllmSettings;
import dev.stagesim.sim.serving.policy.VllmSettings.StepTokens;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import java.util.List;
import java.util.Map;

/** Creates schedulers of vLLM V1 from the defaults. Tests state only the values that differ. */
public final class VllmFixtures {
    private VllmFixtures() {}

    public static VllmSettings settings(int seqs, int tokens, Map<String, ?> changes) {
        VllmSettings defaults = new VllmSettings(
                seqs,
                StepTokens.of(tokens),
                VllmSettings.Pacing.NONE,
                true,
                false,
                0,
                true,
                false,
                1,
                0,
                Speculation.NONE,
                VllmSettings.Version.NEWEST);
        return KeyRecord.with(VllmSettings.class, defaults, changes);
    }

    public static SchedulerSpec.VllmV1 engine(VllmSettings settings, long blocks, Map<String, ?> changes) {
        SchedulerSpec.VllmV1 defaults = new SchedulerSpec.VllmV1(
                settings,
                16,
                blocks,
                new SchedulerSpec.Share(0.9, false),
                0,
                true,
                Acceptance.of(List.of(0.5)),
                SchedulerSpec.Lora.NONE,
                List.of(),
                ContextSharding.NONE);
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
