package dev.stagesim.stage.compare;

import dev.stagesim.model.HardwareCard;
import dev.stagesim.model.Key;
import dev.stagesim.model.ModelCard;
import dev.stagesim.settings.ArrivalSettings;
import dev.stagesim.settings.CompareSettings;
import dev.stagesim.settings.Compat;
import dev.stagesim.settings.PredictorSettings;
import dev.stagesim.settings.ProfileSettings;
import dev.stagesim.settings.ProfilingInput;
import dev.stagesim.settings.RealSettings;
import dev.stagesim.settings.SimInput;
import dev.stagesim.settings.WorkloadSettings;
import dev.stagesim.stage.PassedTo;

/** Settings of {@code compare}: its own, and those of the stages that make its two sides when no run is given. */
public record CompareStageSettings(
        @Key(doc = "Model on both sides.") @PassedTo({"real", "sim"}) ModelCard model,
        @Key(doc = "Hardware on both sides.") @PassedTo({"real", "sim"}) HardwareCard hardware,
        @Key(doc = "Requests on both sides.") @PassedTo({"real", "sim"}) WorkloadSettings workload,
        @Key(doc = "When they arrive.") @PassedTo({"real", "sim"}) ArrivalSettings arrival,
        @Key(doc = "How the profiling bundle of the simulation comes about.") @PassedTo("sim") ProfileSettings profile,
        @Key(doc = "Where the profiling bundle lies.", def = "{}") @PassedTo("sim") ProfilingInput profiling,
        @Key(doc = "How the simulation looks up operator times.") @PassedTo("sim") PredictorSettings predictor,
        @Key(doc = "Whose numbers the simulation reproduces.", def = "none") @PassedTo("sim") Compat compat,
        @Key(doc = "Where the measurement comes from.", def = "{}") @PassedTo("real") RealSettings real,
        @Key(doc = "Where the simulated side comes from.", def = "{}") SimInput sim,
        @Key(doc = "How the sides are compared.", def = "{}") CompareSettings compare) {}
