package dev.stagesim.stage.realbench;

import dev.stagesim.model.HardwareCard;
import dev.stagesim.model.Key;
import dev.stagesim.model.ModelCard;
import dev.stagesim.settings.ArrivalSettings;
import dev.stagesim.settings.BenchSettings;
import dev.stagesim.settings.ClusterSettings;
import dev.stagesim.settings.Compat;
import dev.stagesim.settings.EndpointSettings;
import dev.stagesim.settings.EngineSettings;
import dev.stagesim.settings.RealSettings;
import dev.stagesim.settings.SuiteSettings;
import dev.stagesim.settings.WorkloadSettings;
import dev.stagesim.sim.serving.SchedulerSettings;
import dev.stagesim.stage.PassedTo;

/** Settings of {@code real_bench}. */
public record RealBenchSettings(
        @Key("Model that was measured.") ModelCard model,
        @Key("Hardware it was measured on.") HardwareCard hardware,
        @Key("Requests that were measured. | { kind = serving }") @PassedTo("workload") WorkloadSettings workload,
        @Key("When they arrived. | { kind = poisson }") @PassedTo("workload") ArrivalSettings arrival,
        @Key("Whose generators made the workload. | none") @PassedTo("workload") Compat compat,
        @Key("Where the measurement comes from.") RealSettings real,
        @Key("Server that is measured live.") EndpointSettings endpoint,
        @Key("What is run here to be measured. | { kind = none }") BenchSettings bench,
        @Key("Which figures of the profiling suite are taken. | {}") @PassedTo("workload") SuiteSettings suite,
        @Key("Engine that is run on this machine.") EngineSettings engine,
        @Key("How that engine forms batches. | { kind = sarathi }") SchedulerSettings scheduler,
        @Key("Its memory; it is one replica on one device.") ClusterSettings cluster) {}
