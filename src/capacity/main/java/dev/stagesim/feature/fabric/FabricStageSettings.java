package dev.stagesim.feature.fabric;

import dev.stagesim.capacity.AtlasSettings;
import dev.stagesim.capacity.AutoscaleSettings;
import dev.stagesim.capacity.CatalogWorkload;
import dev.stagesim.capacity.GridSettings;
import dev.stagesim.capacity.SearchSettings;
import dev.stagesim.capacity.SloSettings;
import dev.stagesim.capacity.SpreadSettings;
import dev.stagesim.capacity.TargetSettings;
import dev.stagesim.model.Key;
import dev.stagesim.model.OnlyIf;
import dev.stagesim.model.Unwrapped;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.serving.ClusterSettings;
import dev.stagesim.serving.config.EngineSettings;
import dev.stagesim.serving.config.OutputSettings;
import dev.stagesim.serving.config.PredictorSettings;
import dev.stagesim.serving.config.ProfileSettings;
import dev.stagesim.serving.config.ProfilingInput;
import dev.stagesim.serving.config.SimInput;
import dev.stagesim.serving.config.SimulationSettings;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import dev.stagesim.stage.PassedTo;
import dev.stagesim.workload.WorkloadSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Settings of the stage {@code fabric}. */
record FabricStageSettings(
        @Key("The model to serve or train.") ModelCard model,
        @Key("The accelerator of the target, for the simulation.") @PassedTo("sim") HardwareCard hardware,
        @Key("The workload; workload.dir selects a finished run. | { kind = catalog }") @PassedTo({"workload", "sim"})
                WorkloadSettings workload,
        @Unwrapped MachineSettings machines,
        @Unwrapped OperationSettings operation,
        @Unwrapped OptimizerSettings optimizer,
        @Unwrapped FabricServing serving,
        @Unwrapped FabricSources runs,
        @Key("Inputs with compat=atlas.") AtlasSettings atlas,
        @Key("Reference implementation to reproduce. | none") Mode compat) {
    /** Machines and their settings. */
    record MachineSettings(
            @Key("The machines.") TargetSettings target,
            @Key("Further machines to compare and to search, by name. | {}") Map<String, TargetSettings> targets,
            @Key("Source of throughput and latency. | simulated") Source source,
            @Key(
                            "Settings of the targets: the same for all, or the best for each; null for the track of the workload. | null")
                    Optional<CatalogWorkload.Track> track,
            @Key("Runtime settings that override the settings of the workload.") CatalogWorkload.Tuning tuning) {}

    /** Operation of the nodes. */
    record OperationSettings(
            @Key("The SLO.") SloSettings slo,
            @Key("Autoscaling of the nodes.") AutoscaleSettings autoscale,
            @Key("The electricity grid.") GridSettings grid,
            @Key("Uncertainty of the inputs.") SpreadSettings uncertainty) {}

    /** Search and calibration. */
    record OptimizerSettings(
            @Key("Whether to search for the cheapest settings that meet the SLO. | false") boolean optimize,
            @Key("The search space of the optimiser.") SearchSettings search,
            @Key("Measured runs to fit the semi-empirical model to.") Calibration calibration) {}

    /** Simulation of a served workload. */
    record FabricServing(
            @Key("Source of the profiling bundle. | { profiler = roofline }") ProfileSettings profile,
            @Key("Serving engine: its overheads.") @PassedTo("sim") EngineSettings engine,
            @Key("Existing profiling bundle.") @PassedTo("sim") ProfilingInput profiling,
            @Key("Predictor of operator times. | { kind = auto }") @PassedTo("sim") PredictorSettings predictor,
            @Key("Scheduler of a replica. | { kind = vllm_v1 }") SchedulerSettings scheduler,
            @Key("Devices of the simulated deployment, as the workload spreads its model.") ClusterSettings cluster,
            @Key("Overheads and artifacts of the simulation.") @PassedTo("sim") SimulationSettings simulation,
            @Key("Outputs of the simulation.") @PassedTo("sim") OutputSettings output) {}

    /** Runs of the simulation, the measurement and the training step. */
    record FabricSources(
            @Key("The simulation run.") SimInput sim,
            @Key("The measured run, for source=measured.") Measured real,
            @Key("Simulation of training steps, for source=simulated.") Step train) {}

    /** Source of throughput and latency. */
    enum Source {
        /** The closed-form model, with the coefficients of the target or fitted ones. */
        SEMI_EMPIRICAL,
        /** Event simulation. */
        SIMULATED,
        /** A measured run. */
        MEASURED
    }

    /** Reference implementation to reproduce. */
    enum Mode {
        /** No reference. */
        NONE,
        /** Atlas Fabric, with identical numbers. */
        ATLAS
    }

    record Measured(
            @Key("Directory of a finished real_bench run. | null")
                    @OnlyIf("source = measured | other sources do not read it | set source=measured")
                    Optional<Path> dir) {}

    /** Simulation of a training step. */
    record Step(
            @Key("Directory of a finished astra_sim run of one step on the stated devices; null to simulate it on the"
                            + " links of the target. | null")
                    Optional<Path> dir,
            @Key(
                            "Share of the maximum 16-bit rate that computations of a step reach. The maximum is measured, or 80 % of"
                                    + " the peak without a measurement. | 0.65 | 0.000001..1")
                    double efficiency) {}

    /** Measured runs for calibration. */
    record Calibration(
            @Key("Directories of finished runs with request_metrics.csv on the target's accelerator; empty to use the"
                            + " coefficients without a fit. | []")
                    @OnlyIf("source != measured | nothing is fitted with source=measured")
                    List<Path> runs,
            @Key("Confidence level of the intervals. | 0.95 | 0.5..0.999") double level) {}
}
