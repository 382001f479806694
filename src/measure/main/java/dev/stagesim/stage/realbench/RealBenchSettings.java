package dev.stagesim.stage.realbench;

import dev.stagesim.measure.BenchSettings;
import dev.stagesim.measure.EndpointSettings;
import dev.stagesim.measure.RealSettings;
import dev.stagesim.model.Key;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.serving.ClusterSettings;
import dev.stagesim.serving.config.EngineSettings;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import dev.stagesim.stage.PassedTo;
import dev.stagesim.workload.ArrivalSettings;
import dev.stagesim.workload.CompatMode;
import dev.stagesim.workload.SuiteSettings;
import dev.stagesim.workload.WorkloadSettings;

/** Settings of {@code real_bench}. */
public record RealBenchSettings(
        @Key("Model that was measured.") ModelCard model,
        @Key("Hardware it was measured on.") HardwareCard hardware,
        @Key("Requests that were measured. | { kind = serving }") @PassedTo("workload") WorkloadSettings workload,
        @Key("Arrivals of the requests. | { kind = poisson }") @PassedTo("workload") ArrivalSettings arrival,
        @Key("Tool whose generators made the workload. | none") @PassedTo("workload") CompatMode compat,
        @Key("Source of the measurement.") RealSettings real,
        @Key("Server that is measured live.") EndpointSettings endpoint,
        @Key("Benchmark to run on this machine. | { kind = none }") BenchSettings bench,
        @Key("Values to take from the profiling suite. | {}") @PassedTo("workload") SuiteSettings suite,
        @Key("Engine that is run on this machine.") EngineSettings engine,
        @Key("Batching policy of that engine. | { kind = sarathi }") SchedulerSettings scheduler,
        @Key("Memory of that engine: one replica on one device.") ClusterSettings cluster) {}
