package dev.stagesim.stage.calibrate;

import dev.stagesim.model.HardwareCard;
import dev.stagesim.model.Key;
import dev.stagesim.model.ModelCard;
import dev.stagesim.serving.Deployment;
import dev.stagesim.settings.ArrivalSettings;
import dev.stagesim.settings.CalibrateSettings;
import dev.stagesim.settings.ClusterSettings;
import dev.stagesim.settings.Compat;
import dev.stagesim.settings.EndpointSettings;
import dev.stagesim.settings.OnlineSettings;
import dev.stagesim.settings.PredictorSettings;
import dev.stagesim.settings.ProfileSettings;
import dev.stagesim.settings.ProfilingInput;
import dev.stagesim.settings.RealSettings;
import dev.stagesim.settings.SchedulerSettings;
import dev.stagesim.settings.WorkloadSettings;
import dev.stagesim.stage.PassedTo;
import java.util.Optional;

/** Settings of the stage {@code calibrate}. */
public record CalibrateStageSettings(
        @Key(doc = "The model that was measured.") ModelCard model,
        @Key(doc = "The device that it was measured on.") HardwareCard hardware,
        @Key(doc = "The requests of the measurement.", def = "{ kind = serving }") @PassedTo("real")
                WorkloadSettings workload,
        @Key(doc = "When they arrive.", def = "{ kind = poisson }") @PassedTo("real") ArrivalSettings arrival,
        @Key(doc = "How operator times are profiled.", def = "{ profiler = roofline }") @PassedTo("profiling")
                ProfileSettings profile,
        @Key(doc = "Where the profiling bundle is.") ProfilingInput profiling,
        @Key(doc = "How operator times follow from the bundle.", def = "{ kind = interpolation }")
                PredictorSettings predictor,
        @Key(doc = "How a replica forms batches.", def = "{ kind = sarathi }") SchedulerSettings scheduler,
        @Key(doc = "How many devices there are and how they share the model.") ClusterSettings cluster,
        @Key(doc = "Longest sequence and overheads; those of the host are fitted.") OnlineSettings simulation,
        @Key(doc = "Whose numbers the workload reproduces.", def = "none") @PassedTo("real") Compat compat,
        @Key(doc = "Where the measurement comes from.") @PassedTo("real") RealSettings real,
        @Key(doc = "Server that is measured live.") @PassedTo("real") EndpointSettings endpoint,
        @Key(doc = "What is fitted, and to which part.") CalibrateSettings calibrate) {
    /** What is simulated, requests apart. */
    Deployment deployment() {
        return new Deployment(
                model,
                hardware,
                predictor,
                scheduler,
                cluster,
                simulation.overheads(),
                simulation.maxTokens(),
                Optional.empty(),
                Compat.NONE);
    }
}
