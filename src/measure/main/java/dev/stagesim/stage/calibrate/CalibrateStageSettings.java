package dev.stagesim.stage.calibrate;

import dev.stagesim.measure.CalibrateSettings;
import dev.stagesim.measure.EndpointSettings;
import dev.stagesim.measure.OnlineSettings;
import dev.stagesim.measure.RealSettings;
import dev.stagesim.model.Key;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.Unwrapped;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.serving.ClusterSettings;
import dev.stagesim.serving.ReplicaModel;
import dev.stagesim.serving.config.EngineSettings;
import dev.stagesim.serving.config.PredictorSettings;
import dev.stagesim.serving.config.ProfileSettings;
import dev.stagesim.serving.config.ProfilingInput;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import dev.stagesim.stage.PassedTo;
import dev.stagesim.workload.ArrivalSettings;
import dev.stagesim.workload.CompatMode;
import dev.stagesim.workload.WorkloadSettings;
import java.util.Optional;

/** Settings of the stage {@code calibrate}. */
record CalibrateStageSettings(
        @Key("The model that was measured.") ModelCard model,
        @Key("The device that it was measured on.") HardwareCard hardware,
        @Key("The requests of the measurement. | { kind = serving }") @PassedTo("real") WorkloadSettings workload,
        @Key("Arrivals of the requests. | { kind = poisson }") @PassedTo("real") ArrivalSettings arrival,
        @Unwrapped CalibratedServing serving,
        @Key("Tool that the workload reproduces. | none") @PassedTo("real") CompatMode compat,
        @Key("Source of the measurement.") @PassedTo("real") RealSettings real,
        @Key("Server that is measured live.") @PassedTo("real") EndpointSettings endpoint,
        @Key("Terms to fit, and the part of the requests for the fit.") CalibrateSettings calibrate) {
    private static final int DEFAULT_CONTEXT = 8192;

    /** Simulated engine. */
    record CalibratedServing(
            @Key("Source of the operator times. | { profiler = roofline }") @PassedTo("profiling")
                    ProfileSettings profile,
            @Key("Serving engine, with its overhead per operator.") @PassedTo(value = "profiling", readToo = true)
                    EngineSettings engine,
            @Key("Location of the profiling bundle.") ProfilingInput profiling,
            @Key("Predictor of operator times from the bundle. | { kind = interpolation }") PredictorSettings predictor,
            @Key("Batching policy of a replica. | { kind = vllm_v1 }") SchedulerSettings scheduler,
            @Key("Number of devices and parallelism.") ClusterSettings cluster,
            @Key("Maximum sequence length, and overheads; host overheads are fitted.") OnlineSettings simulation) {}

    /** Returns the length of the longest request in tokens if no measured request shows it. */
    int longest() {
        return serving.simulation().maxTokens().orElse(Math.min(DEFAULT_CONTEXT, model.maxPosition()));
    }

    /** Returns the replica that is simulated. */
    ReplicaModel replica() {
        return new ReplicaModel(
                model,
                hardware,
                serving.predictor() instanceof PredictorSettings.Auto
                        ? KeyRecord.defaults(PredictorSettings.Interpolation.class)
                        : serving.predictor(),
                serving.engine().step(),
                serving.scheduler(),
                serving.cluster(),
                serving.simulation().overheads(),
                serving.simulation().maxTokens(),
                Optional.empty(),
                CompatMode.NONE,
                Optional.empty());
    }
}
