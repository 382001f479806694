package dev.stagesim.stage.vidursim;

import dev.stagesim.model.Key;
import dev.stagesim.model.card.HardwareCard;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.serving.ReplicaModel;
import dev.stagesim.settings.ArrivalSettings;
import dev.stagesim.settings.ClusterSettings;
import dev.stagesim.settings.Compat;
import dev.stagesim.settings.EngineSettings;
import dev.stagesim.settings.OutputSettings;
import dev.stagesim.settings.PredictorSettings;
import dev.stagesim.settings.ProfileSettings;
import dev.stagesim.settings.ProfilingInput;
import dev.stagesim.settings.SimulationSettings;
import dev.stagesim.settings.WorkloadSettings;
import dev.stagesim.sim.serving.SchedulerSettings;
import dev.stagesim.stage.PassedTo;
import java.util.Optional;

/** Settings of the stage {@code vidur_sim}. */
public record VidurSimSettings(
        @Key("The model to serve.") ModelCard model,
        @Key("The device to serve it on.") HardwareCard hardware,
        @Key("The requests; workload.dir names a finished run that has them. | { kind = serving }")
                @PassedTo("workload")
                WorkloadSettings workload,
        @Key("When the requests arrive. | { kind = poisson }") @PassedTo("workload") ArrivalSettings arrival,
        @Key("How operator times are profiled. | { profiler = roofline }") @PassedTo("profiling")
                ProfileSettings profile,
        @Key("Engine that serves: what it adds to operators, and how the built-in one is profiled.")
                @PassedTo(value = "profiling", readToo = true)
                EngineSettings engine,
        @Key("Where the profiling bundle is.") ProfilingInput profiling,
        @Key("How operator times are found. | { kind = auto }") PredictorSettings predictor,
        @Key("How a replica forms batches. | { kind = sarathi }") SchedulerSettings scheduler,
        @Key("How many devices there are and how they share the model.") ClusterSettings cluster,
        @Key("Overheads, time limit and artifacts.") SimulationSettings simulation,
        @Key("How much is written.") OutputSettings output,
        @Key("Whose numbers to reproduce: none for sound behaviour, vidur for Vidur's, quirks included. | none")
                Compat compat) {
    /** Returns the replica that is simulated. */
    public ReplicaModel replica() {
        return new ReplicaModel(
                model,
                hardware,
                predictor.resolved(profile, profiling, compat),
                engine.step(),
                scheduler,
                cluster,
                simulation.overheads(),
                simulation.maxTokens(),
                simulation.timeLimit(),
                compat,
                Optional.empty());
    }
}
