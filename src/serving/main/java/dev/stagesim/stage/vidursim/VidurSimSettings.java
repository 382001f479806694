package dev.stagesim.stage.vidursim;

import dev.stagesim.model.Key;
import dev.stagesim.model.Unwrapped;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.serving.ClusterSettings;
import dev.stagesim.serving.ReplicaModel;
import dev.stagesim.serving.config.EngineSettings;
import dev.stagesim.serving.config.OutputSettings;
import dev.stagesim.serving.config.PredictorSettings;
import dev.stagesim.serving.config.ProfileSettings;
import dev.stagesim.serving.config.ProfilingInput;
import dev.stagesim.serving.config.SimulationSettings;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import dev.stagesim.stage.PassedTo;
import dev.stagesim.workload.ArrivalSettings;
import dev.stagesim.workload.CompatMode;
import dev.stagesim.workload.WorkloadSettings;
import java.util.Optional;

/** Settings of the stage {@code vidur_sim}. */
public record VidurSimSettings(
        @Key("The model to serve.") ModelCard model,
        @Key("The device.") HardwareCard hardware,
        @Key("The requests; workload.dir can be a finished run with requests. | { kind = serving }")
                @PassedTo("workload")
                WorkloadSettings workload,
        @Key("Arrival process. | { kind = poisson }") @PassedTo("workload") ArrivalSettings arrival,
        @Unwrapped OperatorSources times,
        @Key("Scheduler of a replica. | { kind = vllm_v1 }") SchedulerSettings scheduler,
        @Key("Replicas and parallelism.") ClusterSettings cluster,
        @Key("Overheads, time limit and artifacts.") SimulationSettings simulation,
        @Key("Level of detail of the output.") OutputSettings output,
        @Key("Reference to reproduce: none, or vidur for exactly Vidur's results, bugs included. | none")
                CompatMode compat) {
    /** Source of operator times. */
    public record OperatorSources(
            @Key("Source of the profiling bundle. | { profiler = roofline }") @PassedTo("profiling")
                    ProfileSettings profile,
            @Key("Serving engine: its overheads, and the settings of the built-in engine.")
                    @PassedTo(value = "profiling", readToo = true)
                    EngineSettings engine,
            @Key("Existing profiling bundle.") ProfilingInput profiling,
            @Key("Predictor of operator times. | { kind = auto }") PredictorSettings predictor) {}

    /** Returns the number of devices of all replicas. */
    long devices() {
        return (long) cluster.replicas()
                * scheduler.dataParallelSize()
                * cluster.tensorParallelSize()
                * cluster.numPipelineStages()
                * scheduler.contextSharding().prefill();
    }

    /** Returns the board power of all devices in W; empty if the card has none. */
    Optional<Double> boardWatts() {
        return hardware.costs().powerW().map(watts -> watts * devices());
    }

    /** Returns the simulated replica. */
    public ReplicaModel replica() {
        return new ReplicaModel(
                model,
                hardware,
                times.predictor().resolved(times.profile(), times.profiling(), compat),
                times.engine().step(),
                scheduler,
                cluster,
                simulation.overheads(),
                simulation.maxTokens(),
                simulation.timeLimit(),
                compat,
                Optional.empty());
    }
}
