package dev.stagesim.stage.compare;

import dev.stagesim.model.HardwareCard;
import dev.stagesim.model.Key;
import dev.stagesim.model.ModelCard;
import dev.stagesim.settings.ArrivalSettings;
import dev.stagesim.settings.BenchSettings;
import dev.stagesim.settings.ClusterSettings;
import dev.stagesim.settings.CompareSettings;
import dev.stagesim.settings.Compat;
import dev.stagesim.settings.EndpointSettings;
import dev.stagesim.settings.EngineSettings;
import dev.stagesim.settings.OutputSettings;
import dev.stagesim.settings.PredictorSettings;
import dev.stagesim.settings.ProfileSettings;
import dev.stagesim.settings.ProfilingInput;
import dev.stagesim.settings.RealSettings;
import dev.stagesim.settings.SimInput;
import dev.stagesim.settings.SimulationSettings;
import dev.stagesim.settings.SuiteSettings;
import dev.stagesim.settings.WorkloadSettings;
import dev.stagesim.sim.serving.SchedulerSettings;
import dev.stagesim.stage.PassedTo;

/** Settings of {@code compare}: its own, and those of the stages that make its two sides when no run is given. */
public record CompareStageSettings(
        @Key("Model on both sides.") @PassedTo({"real", "sim"}) ModelCard model,
        @Key("Hardware on both sides.") @PassedTo({"real", "sim"}) HardwareCard hardware,
        @Key("Requests on both sides. | { kind = serving }") @PassedTo({"real", "sim"}) WorkloadSettings workload,
        @Key("When they arrive. | { kind = poisson }") @PassedTo({"real", "sim"}) ArrivalSettings arrival,
        @Key("How operator times are profiled. | { profiler = roofline }") @PassedTo("sim") ProfileSettings profile,
        @Key("Engine that is profiled and measured on this machine.") @PassedTo({"real", "sim"}) EngineSettings engine,
        @Key("Where the profiling bundle is.") @PassedTo("sim") ProfilingInput profiling,
        @Key("How operator times are found. | { kind = auto }") @PassedTo("sim") PredictorSettings predictor,
        @Key("How a replica forms batches. | { kind = sarathi }") @PassedTo({"real", "sim"})
                SchedulerSettings scheduler,
        @Key("How many devices there are and how they share the model.") @PassedTo({"real", "sim"})
                ClusterSettings cluster,
        @Key("Overheads, time limit and artifacts of the simulation.") @PassedTo("sim") SimulationSettings simulation,
        @Key("How much the simulation writes.") @PassedTo("sim") OutputSettings output,
        @Key("Whose numbers the simulation and the workload reproduce. | none") @PassedTo({"real", "sim"})
                Compat compat,
        @Key("Where the measurement comes from.") @PassedTo("real") RealSettings real,
        @Key("Server that is measured live.") @PassedTo("real") EndpointSettings endpoint,
        @Key("What is run here to be measured. | { kind = none }") @PassedTo("real") BenchSettings bench,
        @Key("Which figures of the profiling suite are taken. | {}") @PassedTo("real") SuiteSettings suite,
        @Key("Where the simulated side comes from.") SimInput sim,
        @Key("How the sides are compared.") CompareSettings compare) {}
