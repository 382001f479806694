package dev.stagesim.measure;

import static java.util.Map.entry;

import dev.stagesim.config.bind.Binder;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.feature.mock.ServerSettings;
import dev.stagesim.model.Extrapolation;
import dev.stagesim.model.Key;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.card.Confidence;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.hardware.DenseRates;
import dev.stagesim.model.hardware.DeviceCosts;
import dev.stagesim.model.hardware.DeviceFamily;
import dev.stagesim.model.hardware.DeviceMemory;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.model.hardware.HardwareOrigin;
import dev.stagesim.model.hardware.HostLink;
import dev.stagesim.model.hardware.KernelCard;
import dev.stagesim.model.hardware.LinkCard;
import dev.stagesim.model.hardware.ScaleUpLink;
import dev.stagesim.model.hardware.StepCard;
import dev.stagesim.serving.ClusterSettings;
import dev.stagesim.serving.ServingWorkload;
import dev.stagesim.serving.config.EngineSettings;
import dev.stagesim.serving.config.HostOverhead;
import dev.stagesim.serving.config.OutputSettings;
import dev.stagesim.serving.config.PredictorSettings;
import dev.stagesim.serving.config.ProfileSettings;
import dev.stagesim.serving.config.ProfilingInput;
import dev.stagesim.serving.config.SimInput;
import dev.stagesim.serving.config.SimulationSettings;
import dev.stagesim.serving.workload.LabelSettings;
import dev.stagesim.serving.workload.LengthSettings;
import dev.stagesim.serving.workload.RowSettings;
import dev.stagesim.serving.workload.SharingSettings;
import dev.stagesim.sim.serving.spec.GlobalPolicy;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import dev.stagesim.sim.serving.spec.SchedulerSettingsTest;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.workload.ArrivalSettings;
import dev.stagesim.workload.WorkloadSettings;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Sections with every key at its default, and minimal cards. */
public final class Defaults {
    record ProfileRoot(@Key("Profile.") ProfileSettings profile) {}

    private Defaults() {}

    /** Returns settings from given components, sections of this class by type, and documented defaults. */
    public static <R extends Record> R of(Class<R> type, Map<String, ?> given) {
        return of(Defaults.class, type, given);
    }

    static <R extends Record> R of(Class<?> sections, Class<R> type, Map<String, ?> given) {
        Map<String, Object> values = new TreeMap<>(given);
        for (RecordComponent component : KeyRecord.components(type)) {
            for (Method method : sections.getDeclaredMethods()) {
                if (method.getReturnType() == component.getType() && method.getParameterCount() == 0) {
                    values.computeIfAbsent(component.getName(), name -> call(method));
                }
            }
        }
        return KeyRecord.of(type, values);
    }

    private static Object call(Method method) {
        try {
            return method.invoke(null);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    public static ModelCard model() {
        return KeyRecord.of(
                ModelCard.class,
                Map.ofEntries(
                        entry("name", "m"),
                        entry("family", "f"),
                        entry("attention", ModelCard.Attention.GQA),
                        entry("hiddenSize", 64),
                        entry("numLayers", 2),
                        entry("numHeads", 4),
                        entry("numKvHeads", 2),
                        entry("headDim", 16),
                        entry("ffnDim", 256),
                        entry("mlpMatrices", 3),
                        entry("vocabSize", 1000),
                        entry("maxPosition", 2048),
                        entry("confidence", Confidence.LOW),
                        entry("source", "s")));
    }

    /** Returns a card with changes of some components. */
    public static ModelCard model(Map<String, ?> changes) {
        return KeyRecord.with(ModelCard.class, model(), changes);
    }

    public static HardwareCard hardware() {
        Optional<Double> x = Optional.empty();
        Optional<String> text = Optional.empty();
        return new HardwareCard(
                "h",
                new DeviceFamily("v", "g", "f"),
                new DenseRates(x, x, x, x, x, x, x),
                new DeviceMemory(80, x, "HBM", x, x, text),
                new ScaleUpLink("none", 0, Optional.empty(), text),
                new HostLink(text, x, x),
                new DeviceCosts(x, x, x, x, text),
                x,
                1,
                kernels(),
                link(),
                new HardwareOrigin(Confidence.LOW, "s", text));
    }

    record KernelsRoot(@Key("Kernels.") KernelCard kernels) {}

    record LinkRoot(@Key("Link.") LinkCard link) {}

    record StepRoot(@Key("Engine.") StepCard step) {}

    public static KernelCard kernels() {
        return Binder.bind(MapNode.of(Map.of(), Origin.DEFAULT), KernelsRoot.class)
                .kernels();
    }

    public static LinkCard link() {
        return Binder.bind(MapNode.of(Map.of(), Origin.DEFAULT), LinkRoot.class).link();
    }

    public static StepCard noEngine() {
        return Binder.bind(MapNode.of(Map.of(), Origin.DEFAULT), StepRoot.class).step();
    }

    public static WorkloadSettings workload() {
        return KeyRecord.of(
                ServingWorkload.class,
                Map.ofEntries(
                        entry("lengths", new LengthSettings.Fixed(2048, 512)),
                        entry("rows", RowSettings.ALL),
                        entry("sharing", new SharingSettings.None()),
                        entry("labels", LabelSettings.NONE)));
    }

    public static ArrivalSettings arrival() {
        return new ArrivalSettings.Poisson(1.0);
    }

    /** Returns the roofline with the declared grid. Other tests cover the lists. */
    public static ProfileSettings profile() {
        MapNode profile = MapNode.of(Map.of("profiler", ScalarNode.of("roofline", Origin.DEFAULT)), Origin.DEFAULT);
        MapNode tree = MapNode.of(Map.of("profile", profile), Origin.DEFAULT);
        ProfileSettings.Roofline bound =
                (ProfileSettings.Roofline) Binder.bind(tree, ProfileRoot.class).profile();
        return new ProfileSettings.Roofline(bound.grid(), List.of(1, 2, 4, 8), 16, List.of(), new HostOverhead.None());
    }

    public static ProfilingInput profiling() {
        return new ProfilingInput(Optional.empty());
    }

    public static PredictorSettings.Interpolation predictor() {
        return new PredictorSettings.Interpolation(
                new PredictorSettings.Range(64, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty()),
                Extrapolation.NONE,
                Optional.of(0.2),
                PredictorSettings.Statistic.MEDIAN);
    }

    public static SchedulerSettings scheduler() {
        return vllmV1();
    }

    /** The scheduler of the built-in engine. Its type differs from that of {@link #scheduler}, the one in records. */
    public static SchedulerSpec.Sarathi sarathi() {
        return new SchedulerSpec.Sarathi(128, 16, 0.01, Optional.empty(), 512);
    }

    public static SchedulerSettings.VllmV1 vllmV1() {
        return SchedulerSettingsTest.defaults().stream()
                .filter(SchedulerSettings.VllmV1.class::isInstance)
                .map(SchedulerSettings.VllmV1.class::cast)
                .findFirst()
                .orElseThrow();
    }

    public static ClusterSettings cluster() {
        return new ClusterSettings(1, 1, 1, 0.1, Optional.empty(), GlobalPolicy.ROUND_ROBIN, Optional.empty());
    }

    public static SimulationSettings simulation() {
        return new SimulationSettings(
                Optional.empty(),
                Optional.empty(),
                new SimulationSettings.Overheads(
                        Optional.empty(), Optional.empty(), 0.02, 0, Optional.empty(), Optional.empty()),
                Optional.empty(),
                Optional.empty(),
                50_000,
                new SimulationSettings.Metrics(Optional.empty(), Optional.empty(), false, false, Optional.empty()),
                false,
                true);
    }

    public static OutputSettings output() {
        return new OutputSettings(OutputSettings.Detail.AUTO, 1_000_000);
    }

    public static EndpointSettings endpoint() {
        return KeyRecord.of(
                EndpointSettings.class,
                Map.of("cancel", new CancelSettings.None(), "roundTripIntervalS", Optional.of(0.25)));
    }

    public static CalibrateSettings calibrate() {
        return new CalibrateSettings(
                0.5, Optional.empty(), List.of(CalibrateSettings.Term.values()), List.of(), 12, 1000, 42);
    }

    public static ServerSettings server() {
        return KeyRecord.defaults(ServerSettings.class);
    }

    public static OnlineSettings online() {
        return new OnlineSettings(
                Optional.empty(),
                new SimulationSettings.Overheads(
                        Optional.empty(), Optional.empty(), 0.02, 0, Optional.empty(), Optional.empty()));
    }

    public static EngineSettings engine() {
        return new EngineSettings(1, 50, EngineSettings.Clock.MONOTONIC, 4, noEngine());
    }

    public static RealSettings real() {
        return new RealSettings(
                "auto",
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                0.001,
                false,
                Optional.empty());
    }

    public static SimInput sim() {
        return new SimInput(Optional.empty());
    }

    public static CompareSettings compare() {
        return new CompareSettings(
                0,
                false,
                false,
                KeyRecord.defaults(CompareSettings.Tolerance.class),
                new CompareSettings.Bootstrap(1000, 42),
                200,
                new CompareSettings.Noise(Optional.empty(), Optional.empty()),
                new CompareSettings.Fit(java.util.List.of(), 20_000));
    }
}
