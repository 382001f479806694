package dev.stagesim.stage.compare;

import dev.stagesim.measure.BenchSettings;
import dev.stagesim.measure.CompareSettings;
import dev.stagesim.measure.EndpointSettings;
import dev.stagesim.measure.RealSettings;
import dev.stagesim.model.Key;
import dev.stagesim.model.Unwrapped;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.serving.ClusterSettings;
import dev.stagesim.serving.config.EngineSettings;
import dev.stagesim.serving.config.OutputSettings;
import dev.stagesim.serving.config.PredictorSettings;
import dev.stagesim.serving.config.ProfileSettings;
import dev.stagesim.serving.config.ProfilingInput;
import dev.stagesim.serving.config.SimInput;
import dev.stagesim.serving.config.SimulationSettings;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import dev.stagesim.stage.PassedTo;
import dev.stagesim.workload.ArrivalSettings;
import dev.stagesim.workload.CompatMode;
import dev.stagesim.workload.SuiteSettings;
import dev.stagesim.workload.WorkloadSettings;

/** Settings of {@code compare}, including the settings of the stages that create missing runs. */
public record CompareStageSettings(
        @Key("Model on both sides.") @PassedTo({"real", "sim"}) ModelCard model,
        @Key("Hardware on both sides.") @PassedTo({"real", "sim"}) HardwareCard hardware,
        @Key("Requests on both sides. | { kind = serving }") @PassedTo({"real", "sim"}) WorkloadSettings workload,
        @Key("Arrivals of the requests. | { kind = poisson }") @PassedTo({"real", "sim"}) ArrivalSettings arrival,
        @Unwrapped ComparedServing serving,
        @Key("Tool that the simulation and the workload reproduce. | none") @PassedTo({"real", "sim"})
                CompatMode compat,
        @Unwrapped ComparedMeasurement measurement,
        @Key("Source of the simulated side.") SimInput sim,
        @Key("Settings of the comparison.") CompareSettings compare) {
    /** Simulated engine. */
    public record ComparedServing(
            @Key("Source of the operator times. | { profiler = roofline }") @PassedTo("sim") ProfileSettings profile,
            @Key("Engine that is profiled and measured on this machine.") @PassedTo({"real", "sim"})
                    EngineSettings engine,
            @Key("Location of the profiling bundle.") @PassedTo("sim") ProfilingInput profiling,
            @Key("Predictor of operator times. | { kind = auto }") @PassedTo("sim") PredictorSettings predictor,
            @Key("Batching policy of a replica. | { kind = vllm_v1 }") @PassedTo({"real", "sim"})
                    SchedulerSettings scheduler,
            @Key("Number of devices and parallelism.") @PassedTo({"real", "sim"}) ClusterSettings cluster,
            @Key("Overheads, time limit and artifacts of the simulation.") @PassedTo("sim")
                    SimulationSettings simulation,
            @Key("Amount of output of the simulation.") @PassedTo("sim") OutputSettings output) {}

    /** Source of the measurement. */
    public record ComparedMeasurement(
            @Key("Source of the measurement.") @PassedTo("real") RealSettings real,
            @Key("Server that is measured live.") @PassedTo("real") EndpointSettings endpoint,
            @Key("Benchmark to run on this machine. | { kind = none }") @PassedTo("real") BenchSettings bench,
            @Key("Values to take from the profiling suite. | {}") @PassedTo("real") SuiteSettings suite) {}
}
