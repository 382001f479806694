package dev.stagesim.measure;

import static java.util.Map.entry;

import dev.stagesim.feature.mock.ServerSettings;
import dev.stagesim.model.ArrivalTime;
import dev.stagesim.model.Extrapolation;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.TraceFormat;
import dev.stagesim.model.card.Confidence;
import dev.stagesim.model.card.LayerGroup;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.card.Precision;
import dev.stagesim.model.card.StoredShare;
import dev.stagesim.model.hardware.AttentionKernels;
import dev.stagesim.model.hardware.DenseRates;
import dev.stagesim.model.hardware.DeviceCosts;
import dev.stagesim.model.hardware.DeviceFamily;
import dev.stagesim.model.hardware.DeviceMemory;
import dev.stagesim.model.hardware.ExpertKernels;
import dev.stagesim.model.hardware.ExpertLibrary;
import dev.stagesim.model.hardware.GraphModes;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.model.hardware.HardwareOrigin;
import dev.stagesim.model.hardware.HostLink;
import dev.stagesim.model.hardware.HostOverheads;
import dev.stagesim.model.hardware.KernelCard;
import dev.stagesim.model.hardware.KernelFactors;
import dev.stagesim.model.hardware.LaunchTimes;
import dev.stagesim.model.hardware.LinkCard;
import dev.stagesim.model.hardware.ProductKernels;
import dev.stagesim.model.hardware.ScaleUpLink;
import dev.stagesim.model.hardware.StepCard;
import dev.stagesim.serving.ClusterSettings;
import dev.stagesim.serving.ServingWorkload;
import dev.stagesim.serving.config.EngineSettings;
import dev.stagesim.serving.config.OutputSettings;
import dev.stagesim.serving.config.PredictorSettings;
import dev.stagesim.serving.config.ProfileSettings;
import dev.stagesim.serving.config.ProfilingInput;
import dev.stagesim.serving.config.SimInput;
import dev.stagesim.serving.config.SimulationSettings;
import dev.stagesim.serving.workload.EmptyRows;
import dev.stagesim.serving.workload.LabelSettings;
import dev.stagesim.serving.workload.LengthSettings;
import dev.stagesim.serving.workload.RowSettings;
import dev.stagesim.serving.workload.SharingSettings;
import dev.stagesim.serving.workload.UnsortedRows;
import dev.stagesim.sim.serving.spec.GlobalPolicy;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.sim.workload.Overlong;
import dev.stagesim.workload.ArrivalSettings;
import dev.stagesim.workload.WorkloadSettings;
import java.lang.reflect.RecordComponent;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Sections without any key at its default. */
public final class EveryKey {
    private EveryKey() {}

    /** Returns settings from given components and sections of this class by type. */
    public static <R extends Record> R of(Class<R> type, Map<String, ?> given) {
        return Defaults.of(EveryKey.class, type, given);
    }

    /** Returns a card in which optional components have a value and lists an item. */
    public static ModelCard model() {
        Map<String, Object> changes = new HashMap<>(Map.of(
                "postAttentionNorm",
                false,
                "qkNorm",
                true,
                "weights",
                Precision.FP8,
                "kvCache",
                Precision.FP8,
                "tieEmbeddings",
                true,
                "storage",
                List.of(new StoredShare(LayerGroup.HEAD, Precision.FP8, 0.5)),
                "compressRatios",
                List.of(4, 128),
                "unmodelled",
                List.of("text")));
        changes.put("numLayers", 4);
        for (RecordComponent component : KeyRecord.components(ModelCard.class)) {
            if (component.getType() == Optional.class) {
                String type = component.getGenericType().getTypeName();
                changes.put(
                        component.getName(),
                        Optional.of(
                                type.contains("Integer")
                                        ? 4
                                        : type.contains("Long")
                                                ? 4L
                                                : type.contains("Double")
                                                        ? 1.5
                                                        : type.contains("Precision") ? Precision.NVFP4 : "text"));
            }
        }
        return Defaults.model(changes);
    }

    public static HardwareCard hardware() {
        Optional<Double> x = Optional.of(4.0);
        Optional<String> text = Optional.of("text");
        return new HardwareCard(
                "h",
                new DeviceFamily("v", "g", "f"),
                new DenseRates(x, x, x, x, x, x, x),
                new DeviceMemory(80, x, "HBM", x, x, text),
                new ScaleUpLink("link", 300, Optional.of(8), text),
                new HostLink(text, x, x),
                new DeviceCosts(x, x, x, x, text),
                x,
                2,
                kernels(),
                link(),
                new HardwareOrigin(Confidence.LOW, "s", text));
    }

    public static KernelCard kernels() {
        return new KernelCard(
                7,
                new ProductKernels(0.1, 1.5, 0.2, 0.25, 0.3, 0.4, 1, 2),
                new AttentionKernels(0.5, 0.55, 0.6, 300, 3, 0.7, 400, 0.8, 0.45, 2),
                new ExpertKernels(4, 6, 5, Optional.of(7.0), 0.72, 0.8, 0.9, 0.15, 0.16, 0.45, 0.46, 0.47),
                6,
                0.35,
                Optional.of("text"));
    }

    public static LinkCard link() {
        return KeyRecord.of(
                LinkCard.class,
                Map.ofEntries(
                        entry("allReduceUs", 1),
                        entry("fastAllReduceUs", Optional.of(0.5)),
                        entry("deviceUs", 2),
                        entry("oneShotShare", 0.3),
                        entry("twoShotUs", 3),
                        entry("twoShotShare", 0.4),
                        entry("ringUs", 8),
                        entry("hopUs", 9),
                        entry("rampUs", 10),
                        entry("share", 0.35),
                        entry("networkShare", 0.45),
                        entry("allToAllUs", 5),
                        entry("allToAllShare", 0.6),
                        entry("nodeUs", 7),
                        entry("source", Optional.of("text"))));
    }

    public static StepCard step() {
        return new StepCard(
                new GraphModes(StepCard.Execution.PIECEWISE, 1, List.of("1..9/2"), true, true),
                new LaunchTimes(2, 3, 4, 5, 6, 8, 9, 7),
                new KernelFactors(
                        8,
                        9,
                        10,
                        0.5,
                        new KernelFactors.ProductFactors(true, 20, 0.75),
                        21,
                        new KernelFactors.AttentionFactors(22, true),
                        11,
                        true,
                        ExpertLibrary.CUTLASS,
                        0.25),
                new HostOverheads(13, 14, 15, 16, 17, 18, 19),
                true,
                Optional.of("text"),
                Optional.of("text"),
                Optional.of("text"));
    }

    public static WorkloadSettings workload() {
        return KeyRecord.of(
                ServingWorkload.class,
                Map.ofEntries(
                        entry("dir", Optional.of(Path.of("d"))),
                        entry("seed", Optional.of(7L)),
                        entry("numRequests", Optional.of(5)),
                        entry("duration", Optional.of(2.5)),
                        entry("lengths", new LengthSettings.Uniform(2, 3, 4)),
                        entry("file", Optional.of(Path.of("f"))),
                        entry("format", TraceFormat.AZURE),
                        entry(
                                "rows",
                                new RowSettings(
                                        1,
                                        Optional.of(2L),
                                        Optional.of("m"),
                                        Optional.of(0.5),
                                        EmptyRows.DROP,
                                        UnsortedRows.SORT)),
                        entry("tokenizer", Optional.of("cl100k_base")),
                        entry("maxTokens", Optional.of(100)),
                        entry("overlong", Optional.of(Overlong.DROP)),
                        entry("sharing", new SharingSettings.Prefixes(3, 100, 0.5, 0.4)),
                        entry("labels", new LabelSettings(3, 0.5, 0.25, List.of(1.0, 2.0)))));
    }

    public static ArrivalSettings arrival() {
        return new ArrivalSettings.Gamma(2, 3, true);
    }

    public static ProfileSettings profile() {
        return new ProfileSettings.Import(
                Path.of("bundle"),
                Optional.of("a100"),
                Optional.of("model"),
                Optional.of("a100_dgx"),
                List.of(4),
                true,
                true,
                32,
                List.of(ProfileSettings.EvaluatedPredictor.RANDOM_FOREST));
    }

    public static ProfilingInput profiling() {
        return new ProfilingInput(Optional.of(Path.of("run")));
    }

    public static PredictorSettings predictor() {
        return new PredictorSettings.Interpolation(
                new PredictorSettings.Range(16, Optional.of(1), Optional.of(2), Optional.of(3), Optional.of(4)),
                Extrapolation.LINEAR,
                Optional.of(0.4),
                PredictorSettings.Statistic.MEAN);
    }

    public static SchedulerSettings scheduler() {
        return new SchedulerSpec.Orca(64, 32, Optional.of(900));
    }

    public static ClusterSettings cluster() {
        return new ClusterSettings(2, 4, 8, 0.2, Optional.of(40.0), GlobalPolicy.RANDOM, Optional.of(7L));
    }

    public static SimulationSettings simulation() {
        return new SimulationSettings(
                Optional.of(2.5),
                Optional.of(100),
                new SimulationSettings.Overheads(
                        Optional.of(0.2), Optional.of(0.3), 0.04, 0.5, Optional.of(true), Optional.of(true)),
                Optional.of(false),
                Optional.of(false),
                7,
                new SimulationSettings.Metrics(Optional.of(1L), Optional.of(2L), true, true, Optional.of(3)),
                true,
                false);
    }

    public static OutputSettings output() {
        return new OutputSettings(OutputSettings.Detail.SUMMARY, 5);
    }

    public static EndpointSettings endpoint() {
        return KeyRecord.of(
                EndpointSettings.class,
                Map.ofEntries(
                        entry("url", Optional.of("http://localhost:8000/v1")),
                        entry("api", EndpointSettings.Api.CHAT),
                        entry("model", Optional.of("m")),
                        entry("allowHost", Optional.of("host")),
                        entry("apiKeyEnv", Optional.of("KEY")),
                        entry("promptSalt", Optional.of("s")),
                        entry("maxConcurrency", 7),
                        entry("warmupRequests", 0),
                        entry("journal", Optional.of(Path.of("j"))),
                        entry("cancel", new CancelSettings.Share(0.5, Optional.of(3), Optional.of(2.5), 7)),
                        entry("roundTripIntervalS", Optional.of(0.5)),
                        entry("ignoreEos", false),
                        entry("connectTimeout", 1),
                        entry("stallTimeout", 2),
                        entry("requestTimeout", 3),
                        entry("maxFailedPercent", Optional.of(5.0))));
    }

    public static CalibrateSettings calibrate() {
        return new CalibrateSettings(
                0.25,
                Optional.of(4),
                List.of(CalibrateSettings.Term.LINEAR),
                List.of(Path.of("runs/calibrated")),
                3,
                200,
                7);
    }

    public static ServerSettings server() {
        return KeyRecord.of(
                ServerSettings.class,
                Map.ofEntries(
                        entry("host", "localhost"),
                        entry("port", 1),
                        entry("model", Optional.of("m")),
                        entry("apiKeyEnv", Optional.of("KEY")),
                        entry("tokenizer", Optional.of("t")),
                        entry("defaultTokens", 2),
                        entry("maxRequests", 3),
                        entry("abort", false),
                        entry("jitter", 0.5),
                        entry("seed", Optional.of(4L)),
                        entry("stopAfterRequests", Optional.of(5L)),
                        entry("stopAfter", Optional.of(6.0)),
                        entry("readyFile", Optional.of(Path.of("r")))));
    }

    public static OnlineSettings online() {
        return new OnlineSettings(
                Optional.of(100),
                new SimulationSettings.Overheads(
                        Optional.of(0.2), Optional.of(0.3), 0.04, 0.5, Optional.of(true), Optional.of(true)));
    }

    public static EngineSettings engine() {
        return new EngineSettings(2, 7, EngineSettings.Clock.PROCESSOR, 3, step());
    }

    public static RealSettings real() {
        return new RealSettings(
                "vllm",
                Optional.of(Path.of("a")),
                Optional.of(Path.of("b")),
                Optional.of(2),
                Optional.of(ArrivalTime.SENT),
                0.5,
                true,
                Optional.of(8));
    }

    public static SimInput sim() {
        return new SimInput(Optional.of(Path.of("s")));
    }

    public static CompareSettings compare() {
        return new CompareSettings(
                1,
                true,
                true,
                KeyRecord.make(
                        CompareSettings.Tolerance.class,
                        component -> component.getType() == Optional.class
                                ? Optional.of(3.0)
                                : CompareSettings.Tolerance.Direction.WORSE),
                new CompareSettings.Bootstrap(200, 7),
                5,
                new CompareSettings.Noise(Optional.of(true), Optional.of(Path.of("again"))),
                new CompareSettings.Fit(List.of(Path.of("f")), 5));
    }

    public static BenchSettings bench() {
        return KeyRecord.of(
                BenchSettings.Tf.class,
                Map.ofEntries(
                        entry("steps", 1),
                        entry("warmup", 2),
                        entry("traceSteps", 3),
                        entry("inferSteps", 4),
                        entry("fullLength", true),
                        entry("onMissingDevice", BenchSettings.MissingDevice.CPU),
                        entry("cpuPrecision", BenchSettings.CpuPrecision.FLOAT32),
                        entry("xla", BenchSettings.Xla.ON),
                        entry("threads", BenchSettings.Threads.ONE),
                        entry("defects", true),
                        entry("processes", 5),
                        entry("timeoutS", 6),
                        entry("array", Path.of("a")),
                        entry("clockGhz", 2)));
    }
}
