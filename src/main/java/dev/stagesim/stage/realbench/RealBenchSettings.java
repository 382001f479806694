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
import dev.stagesim.settings.SchedulerSettings;
import dev.stagesim.settings.SuiteSettings;
import dev.stagesim.settings.WorkloadSettings;
import dev.stagesim.stage.PassedTo;

/** Settings of {@code real_bench}. */
public record RealBenchSettings(
        @Key(doc = "Model that was measured.") ModelCard model,
        @Key(doc = "Hardware it was measured on.") HardwareCard hardware,
        @Key(doc = "Requests that were measured.", def = "{ kind = serving }") @PassedTo("workload")
                WorkloadSettings workload,
        @Key(doc = "When they arrived.", def = "{ kind = poisson }") @PassedTo("workload") ArrivalSettings arrival,
        @Key(doc = "Whose generators made the workload.", def = "none") @PassedTo("workload") Compat compat,
        @Key(doc = "Where the measurement comes from.") RealSettings real,
        @Key(doc = "Server that is measured live.") EndpointSettings endpoint,
        @Key(doc = "What is run here to be measured.", def = "{ kind = none }") BenchSettings bench,
        @Key(doc = "Which figures of the profiling suite are taken.", def = "{}") @PassedTo("workload")
                SuiteSettings suite,
        @Key(doc = "Engine that is run on this machine.") EngineSettings engine,
        @Key(doc = "How that engine forms batches.", def = "{ kind = sarathi }") SchedulerSettings scheduler,
        @Key(doc = "Its memory; it is one replica on one device.") ClusterSettings cluster) {}
