package dev.stagesim.stage.workload;

import dev.stagesim.model.Key;
import dev.stagesim.settings.ArrivalSettings;
import dev.stagesim.settings.Compat;
import dev.stagesim.settings.SuiteSettings;
import dev.stagesim.settings.WorkloadSettings;

/** Configuration of the stage {@code workload}. */
public record WorkloadStageSettings(
        @Key("The workload. | { kind = serving }") WorkloadSettings workload,
        @Key("Arrival process. | { kind = poisson }") ArrivalSettings arrival,
        @Key("Reference whose generators are reproduced exactly. | none") Compat compat,
        @Key("Source of workload values of the profiling suite. | {}") SuiteSettings suite) {}
