package dev.stagesim.stage.fabric;

import dev.stagesim.model.HardwareCard;
import dev.stagesim.model.Key;
import dev.stagesim.model.ModelCard;
import dev.stagesim.settings.AtlasSettings;
import dev.stagesim.settings.AutoscaleSettings;
import dev.stagesim.settings.CatalogWorkload;
import dev.stagesim.settings.ClusterSettings;
import dev.stagesim.settings.GridSettings;
import dev.stagesim.settings.PredictorSettings;
import dev.stagesim.settings.ProfileSettings;
import dev.stagesim.settings.ProfilingInput;
import dev.stagesim.settings.SchedulerSettings;
import dev.stagesim.settings.SearchSettings;
import dev.stagesim.settings.SimInput;
import dev.stagesim.settings.SimulationSettings;
import dev.stagesim.settings.SloSettings;
import dev.stagesim.settings.SpreadSettings;
import dev.stagesim.settings.TargetSettings;
import dev.stagesim.settings.WorkloadSettings;
import dev.stagesim.stage.PassedTo;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Settings of the stage {@code fabric}. */
public record FabricStageSettings(
        @Key(doc = "The model that runs.") ModelCard model,
        @Key(doc = "The target's accelerator, for the simulation.") @PassedTo("sim") HardwareCard hardware,
        @Key(doc = "The workload; workload.dir names a finished run that has it.", def = "{ kind = catalog }")
                @PassedTo({"workload", "sim"})
                WorkloadSettings workload,
        @Key(doc = "The machines to run it on.") TargetSettings target,
        @Key(doc = "Machines to compare with and to search, by name.", def = "{}") Map<String, TargetSettings> targets,
        @Key(doc = "Where throughput and latency come from.", def = "simulated") Source source,
        @Key(doc = "Whose settings count; null for what the workload says.", def = "null")
                Optional<CatalogWorkload.Track> track,
        @Key(doc = "Settings of the runtime, over the workload's own.") CatalogWorkload.Tuning tuning,
        @Key(doc = "What the service must hold.") SloSettings slo,
        @Key(doc = "How the number of nodes follows the load.") AutoscaleSettings autoscale,
        @Key(doc = "The electricity.") GridSettings grid,
        @Key(doc = "How sure figures are.") SpreadSettings uncertainty,
        @Key(doc = "Whether to search for the cheapest settings that hold the slo.", def = "false") boolean optimize,
        @Key(doc = "What the optimiser tries.") SearchSettings search,
        @Key(doc = "Measured runs to fit the semi-empirical model to.") Calibration calibration,
        @Key(doc = "How operator times are profiled.", def = "{ profiler = roofline }") ProfileSettings profile,
        @Key(doc = "Where the profiling bundle is.") @PassedTo("sim") ProfilingInput profiling,
        @Key(doc = "How operator times follow from the bundle.", def = "{ kind = interpolation }") @PassedTo("sim")
                PredictorSettings predictor,
        @Key(doc = "How a replica forms batches.", def = "{ kind = sarathi }") SchedulerSettings scheduler,
        @Key(doc = "Devices of the simulated deployment, as the workload spreads its model.") ClusterSettings cluster,
        @Key(doc = "Overheads and artifacts of the simulation.") @PassedTo("sim") SimulationSettings simulation,
        @Key(doc = "Where the simulation comes from.") SimInput sim,
        @Key(doc = "Where the measurement comes from, with source=measured.") Measured real,
        @Key(doc = "How a step of a training workload is simulated, with source=simulated.") Step train,
        @Key(doc = "Inputs with compat=atlas.") AtlasSettings atlas,
        @Key(doc = "Whose numbers to reproduce.", def = "none") Mode compat) {

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

    /** A measured run. */
    public record Measured(@Key(doc = "Directory of a finished real_bench run.", def = "null") Optional<Path> dir) {}

    /** A simulated step. */
    public record Step(
            @Key(
                            doc = "Directory of a finished astra_sim run of one step on the devices that the workload"
                                    + " states; null to simulate it on the target's links.",
                            def = "null")
                    Optional<Path> dir,
            @Key(
                            doc =
                                    "Share of the accelerator's greatest 16-bit rate that computations of a step reach: of the"
                                            + " measured one, or of 80 % of its peak where none was measured.",
                            def = "0.65",
                            min = "0",
                            above = true,
                            max = "1")
                    double efficiency) {}

    /** Runs to fit to. */
    public record Calibration(
            @Key(
                            doc =
                                    "Directories of finished runs with request_metrics.csv, of the target's accelerator; none"
                                            + " to go by the coefficients as they are.",
                            def = "[]")
                    List<Path> runs,
            @Key(doc = "Confidence of the intervals.", def = "0.95", min = "0.5", max = "0.999") double level) {}
}
