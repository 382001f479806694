package dev.stagesim.feature.mock;

import dev.stagesim.measure.OnlineSettings;
import dev.stagesim.model.Key;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.serving.ClusterSettings;
import dev.stagesim.serving.ReplicaModel;
import dev.stagesim.serving.config.EngineSettings;
import dev.stagesim.serving.config.PredictorSettings;
import dev.stagesim.serving.config.ProfileSettings;
import dev.stagesim.serving.config.ProfilingInput;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import dev.stagesim.stage.PassedTo;
import dev.stagesim.workload.CompatMode;
import java.util.Optional;

/** Settings of the stage {@code serve_mock}. */
public record ServeMockSettings(
        @Key("The simulated model.") ModelCard model,
        @Key("The simulated device.") HardwareCard hardware,
        @Key("Source of the profiling bundle. | { profiler = roofline }") @PassedTo("profiling")
                ProfileSettings profile,
        @Key("Engine: the host and kernel overheads of each step.") @PassedTo(value = "profiling", readToo = true)
                EngineSettings engine,
        @Key("The profiling bundle.") ProfilingInput profiling,
        @Key("Source of the operator times. | { kind = auto }") PredictorSettings predictor,
        @Key("Scheduler of a replica. | { kind = vllm_v1 }") SchedulerSettings scheduler,
        @Key("Replicas and parallelism.") ClusterSettings cluster,
        @Key("Maximum sequence length and overheads.") OnlineSettings simulation,
        @Key("The server.") ServerSettings server) {
    private static final int DEFAULT_CONTEXT = 8192;

    /** Returns the simulated replica. */
    public ReplicaModel replica() {
        return new ReplicaModel(
                model,
                hardware,
                predictor.resolved(profile, profiling, CompatMode.NONE),
                engine.step(),
                scheduler,
                cluster,
                simulation.overheads(),
                Optional.of(contextLength()),
                Optional.empty(),
                CompatMode.NONE,
                Optional.empty());
    }

    /** Returns the maximum number of prompt and output tokens of a request. */
    int contextLength() {
        return simulation.maxTokens().orElse(Math.min(model.maxPosition(), DEFAULT_CONTEXT));
    }
}
