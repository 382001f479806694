package dev.stagesim.stage.vidursim;

import dev.stagesim.model.HardwareCard;
import dev.stagesim.model.Key;
import dev.stagesim.model.ModelCard;
import dev.stagesim.serving.Deployment;
import dev.stagesim.settings.ArrivalSettings;
import dev.stagesim.settings.ClusterSettings;
import dev.stagesim.settings.Compat;
import dev.stagesim.settings.EngineSettings;
import dev.stagesim.settings.PredictorSettings;
import dev.stagesim.settings.ProfileSettings;
import dev.stagesim.settings.ProfilingInput;
import dev.stagesim.settings.SchedulerSettings;
import dev.stagesim.settings.SimulationSettings;
import dev.stagesim.settings.WorkloadSettings;
import dev.stagesim.stage.PassedTo;

/** Settings of the stage {@code vidur_sim}. */
public record VidurSimSettings(
        @Key(doc = "The model to serve.") ModelCard model,
        @Key(doc = "The device to serve it on.") HardwareCard hardware,
        @Key(doc = "The requests; workload.dir names a finished run that has them.", def = "{ kind = serving }")
                @PassedTo("workload")
                WorkloadSettings workload,
        @Key(doc = "When the requests arrive.", def = "{ kind = poisson }") @PassedTo("workload")
                ArrivalSettings arrival,
        @Key(doc = "How operator times are profiled.", def = "{ profiler = roofline }") @PassedTo("profiling")
                ProfileSettings profile,
        @Key(doc = "Engine whose operators are profiled.") @PassedTo("profiling") EngineSettings engine,
        @Key(doc = "Where the profiling bundle is.") ProfilingInput profiling,
        @Key(doc = "How operator times follow from the bundle.", def = "{ kind = interpolation }")
                PredictorSettings predictor,
        @Key(doc = "How a replica forms batches.", def = "{ kind = sarathi }") SchedulerSettings scheduler,
        @Key(doc = "How many devices there are and how they share the model.") ClusterSettings cluster,
        @Key(doc = "Overheads, time limit and artifacts.") SimulationSettings simulation,
        @Key(
                        doc =
                                "Whose numbers to reproduce: none for sound behaviour, vidur for Vidur's, quirks included.",
                        def = "none")
                Compat compat) {
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
                simulation.timeLimit(),
                compat);
    }
}
