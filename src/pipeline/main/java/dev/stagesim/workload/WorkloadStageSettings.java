package dev.stagesim.workload;

import dev.stagesim.model.Key;

/** Configuration of the stage {@code workload}. */
public record WorkloadStageSettings(
        @Key("The workload. | { kind = serving }") WorkloadSettings workload,
        @Key("Arrival process. | { kind = poisson }") ArrivalSettings arrival,
        @Key("Reference whose generators are reproduced exactly. | none") CompatMode compat,
        @Key("Source of workload values of the profiling suite. | {}") SuiteSettings suite) {}
