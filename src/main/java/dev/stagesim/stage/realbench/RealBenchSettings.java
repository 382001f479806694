package dev.stagesim.stage.realbench;

import dev.stagesim.model.HardwareCard;
import dev.stagesim.model.Key;
import dev.stagesim.model.ModelCard;
import dev.stagesim.settings.ArrivalSettings;
import dev.stagesim.settings.RealSettings;
import dev.stagesim.settings.WorkloadSettings;
import dev.stagesim.stage.PassedTo;

/** Settings of {@code real_bench}. */
public record RealBenchSettings(
        @Key(doc = "Model that was measured.") ModelCard model,
        @Key(doc = "Hardware it was measured on.") HardwareCard hardware,
        @Key(doc = "Requests that were measured.") @PassedTo("workload") WorkloadSettings workload,
        @Key(doc = "When they arrived.") @PassedTo("workload") ArrivalSettings arrival,
        @Key(doc = "Where the measurement comes from.", def = "{}") RealSettings real) {}
