package dev.stagesim.feature.fabric;

import dev.stagesim.model.Key;
import dev.stagesim.model.OnlyIf;
import dev.stagesim.model.card.HardwareCard;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.settings.AtlasSettings;
import dev.stagesim.settings.AutoscaleSettings;
import dev.stagesim.settings.CatalogWorkload;
import dev.stagesim.settings.ClusterSettings;
import dev.stagesim.settings.EngineSettings;
import dev.stagesim.settings.GridSettings;
import dev.stagesim.settings.OutputSettings;
import dev.stagesim.settings.PredictorSettings;
import dev.stagesim.settings.ProfileSettings;
import dev.stagesim.settings.ProfilingInput;
import dev.stagesim.settings.SearchSettings;
import dev.stagesim.settings.SimInput;
import dev.stagesim.settings.SimulationSettings;
import dev.stagesim.settings.SloSettings;
import dev.stagesim.settings.SpreadSettings;
import dev.stagesim.settings.TargetSettings;
import dev.stagesim.settings.WorkloadSettings;
import dev.stagesim.sim.serving.SchedulerSettings;
import dev.stagesim.stage.PassedTo;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Settings of the stage {@code fabric}. */
public record FabricStageSettings(
        @Key("The model that runs.") ModelCard model,
        @Key("The target's accelerator, for the simulation.") @PassedTo("sim") HardwareCard hardware,
        @Key("The workload; workload.dir names a finished run that has it. | { kind = catalog }")
                @PassedTo({"workload", "sim"})
                WorkloadSettings workload,
        @Key("The machines to run it on.") TargetSettings target,
        @Key("Machines to compare with and to search, by name. | {}") Map<String, TargetSettings> targets,
        @Key("Where throughput and latency come from. | simulated") Source source,
        @Key("Whose settings count; null for what the workload says. | null") Optional<CatalogWorkload.Track> track,
        @Key("Settings of the runtime, over the workload's own.") CatalogWorkload.Tuning tuning,
        @Key("What the service must hold.") SloSettings slo,
        @Key("How the number of nodes follows the load.") AutoscaleSettings autoscale,
        @Key("The electricity.") GridSettings grid,
        @Key("How sure figures are.") SpreadSettings uncertainty,
        @Key("Whether to search for the cheapest settings that hold the slo. | false") boolean optimize,
        @Key("What the optimiser tries.") SearchSettings search,
        @Key("Measured runs to fit the semi-empirical model to.") Calibration calibration,
        @Key("Source of the profiling bundle. | { profiler = roofline }") ProfileSettings profile,
        @Key("Serving engine: its overheads.") @PassedTo("sim") EngineSettings engine,
        @Key("Existing profiling bundle.") @PassedTo("sim") ProfilingInput profiling,
        @Key("Predictor of operator times. | { kind = auto }") @PassedTo("sim") PredictorSettings predictor,
        @Key("Scheduler of a replica. | { kind = vllm_v1 }") SchedulerSettings scheduler,
        @Key("Devices of the simulated deployment, as the workload spreads its model.") ClusterSettings cluster,
        @Key("Overheads and artifacts of the simulation.") @PassedTo("sim") SimulationSettings simulation,
        @Key("How much the simulation writes.") @PassedTo("sim") OutputSettings output,
        @Key("Where the simulation comes from.") SimInput sim,
        @Key("Where the measurement comes from, with source=measured.") Measured real,
        @Key("How a step of a training workload is simulated, with source=simulated.") Step train,
        @Key("Inputs with compat=atlas.") AtlasSettings atlas,
        @Key("Whose numbers to reproduce. | none") Mode compat) {

    /** Where throughput and latency come from. */
    public enum Source {
        /** The closed-form model with the target's coefficients, or those fitted to measured runs. */
        SEMI_EMPIRICAL,
        /** Simulation, event by event. */
        SIMULATED,
        /** A measured run. */
        MEASURED
    }

    /** Whose numbers to reproduce. */
    public enum Mode {
        /** None: sound behaviour. */
        NONE,
        /** Atlas Fabric's, number for number. */
        ATLAS
    }

    public record Measured(
            @Key("Directory of a finished real_bench run. | null")
                    @OnlyIf("source = measured | figures come from elsewhere | set source=measured")
                    Optional<Path> dir) {}

    /** A simulated step. */
    public record Step(
            @Key("Directory of a finished astra_sim run of one step on the devices that the workload states; null to"
                            + " simulate it on the target's links. | null")
                    Optional<Path> dir,
            @Key("Share of the accelerator's greatest 16-bit rate that computations of a step reach: of the measured"
                            + " one, or of 80 % of its peak where none was measured. | 0.65 | 0.000001..1")
                    double efficiency) {}

    /** Runs to fit to. */
    public record Calibration(
            @Key("Directories of finished runs with request_metrics.csv, of the target's accelerator; none to go by"
                            + " the coefficients as they are. | []")
                    @OnlyIf("source != measured | nothing is fitted with source=measured")
                    List<Path> runs,
            @Key("Confidence of the intervals. | 0.95 | 0.5..0.999") double level) {}
}
