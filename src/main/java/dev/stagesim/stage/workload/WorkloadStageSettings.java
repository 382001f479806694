package dev.stagesim.stage.workload;

import dev.stagesim.model.Key;
import dev.stagesim.settings.ArrivalSettings;
import dev.stagesim.settings.Compat;
import dev.stagesim.settings.SuiteSettings;
import dev.stagesim.settings.WorkloadSettings;

/** Configuration of the stage {@code workload}. */
public record WorkloadStageSettings(
        @Key("What is to be run. | { kind = serving }") WorkloadSettings workload,
        @Key("When requests arrive. | { kind = poisson }") ArrivalSettings arrival,
        @Key("Whose generators to reproduce number for number. | none") Compat compat,
        @Key("Which figures of the profiling suite are taken. | {}") SuiteSettings suite) {}
