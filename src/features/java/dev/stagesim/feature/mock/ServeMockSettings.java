package dev.stagesim.feature.mock;

import dev.stagesim.model.HardwareCard;
import dev.stagesim.model.Key;
import dev.stagesim.model.ModelCard;
import dev.stagesim.serving.ReplicaModel;
import dev.stagesim.settings.ClusterSettings;
import dev.stagesim.settings.Compat;
import dev.stagesim.settings.EngineSettings;
import dev.stagesim.settings.OnlineSettings;
import dev.stagesim.settings.PredictorSettings;
import dev.stagesim.settings.ProfileSettings;
import dev.stagesim.settings.ProfilingInput;
import dev.stagesim.sim.serving.SchedulerSettings;
import dev.stagesim.stage.PassedTo;
import java.util.Optional;

/** Settings of the stage {@code serve_mock}. */
public record ServeMockSettings(
        @Key("The model that seems to be served.") ModelCard model,
        @Key("The device that it seems to be served on.") HardwareCard hardware,
        @Key("How operator times are profiled. | { profiler = roofline }") @PassedTo("profiling")
                ProfileSettings profile,
        @Key("Engine that serves: what it adds to operators.") @PassedTo(value = "profiling", readToo = true)
                EngineSettings engine,
        @Key("Where the profiling bundle is.") ProfilingInput profiling,
        @Key("How operator times are found. | { kind = auto }") PredictorSettings predictor,
        @Key("How a replica forms batches. | { kind = sarathi }") SchedulerSettings scheduler,
        @Key("How many devices there are and how they share the model.") ClusterSettings cluster,
        @Key("Longest sequence and overheads.") OnlineSettings simulation,
        @Key("The server.") ServerSettings server) {
    private static final int USUAL_CONTEXT = 8192;

    /** Returns the replica that is simulated. */
    public ReplicaModel replica() {
        return new ReplicaModel(
                model,
                hardware,
                predictor.resolved(profile, profiling, Compat.NONE),
                engine.step(),
                scheduler,
                cluster,
                simulation.overheads(),
                Optional.of(longest()),
                Optional.empty(),
                Compat.NONE,
                Optional.empty());
    }

    /** Longest sequence. */
    int longest() {
        return simulation.maxTokens().orElse(Math.min(model.maxPosition(), USUAL_CONTEXT));
    }
}
