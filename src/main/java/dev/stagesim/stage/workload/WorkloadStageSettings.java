package dev.stagesim.stage.workload;

import dev.stagesim.model.Key;
import dev.stagesim.settings.ArrivalSettings;
import dev.stagesim.settings.Compat;
import dev.stagesim.settings.SuiteSettings;
import dev.stagesim.settings.WorkloadSettings;

/** Configuration of the stage {@code workload}. */
public record WorkloadStageSettings(
        @Key(doc = "What is to be run.", def = "{ kind = serving }") WorkloadSettings workload,
        @Key(doc = "When requests arrive.", def = "{ kind = poisson }") ArrivalSettings arrival,
        @Key(doc = "Whose generators to reproduce number for number.", def = "none") Compat compat,
        @Key(doc = "Which figures of the profiling suite are taken.", def = "{}") SuiteSettings suite) {}
