package dev.stagesim.feature.cluster.engine;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.stagesim.feature.cluster.ClusterSimSettings;
import dev.stagesim.feature.cluster.Clusters;
import dev.stagesim.feature.cluster.PoolPlans;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Pool;
import dev.stagesim.feature.cluster.instance.PoolPlan;
import dev.stagesim.feature.cluster.instance.PoolRole;
import dev.stagesim.feature.cluster.instance.RequestTimeline;
import dev.stagesim.feature.cluster.router.LeastOutstanding;
import dev.stagesim.feature.mock.ServeMockSettings;
import dev.stagesim.measure.Defaults;
import dev.stagesim.measure.OnlineSettings;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.StageException;
import dev.stagesim.model.card.CardFiles;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.card.Precision;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.serving.EngineChoice;
import dev.stagesim.serving.EngineSchedulers;
import dev.stagesim.serving.ReplicaModel;
import dev.stagesim.serving.config.EngineSettings;
import dev.stagesim.serving.config.SimulationSettings;
import dev.stagesim.sim.core.RandomStream;
import dev.stagesim.sim.serving.OnlineServing;
import dev.stagesim.sim.serving.ServingOutcome;
import dev.stagesim.sim.serving.ServingSimulator;
import dev.stagesim.sim.serving.replica.ServingRecorder;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.request.Tokens;
import dev.stagesim.sim.serving.settings.Speculation;
import dev.stagesim.sim.serving.spec.Feasibility;
import dev.stagesim.sim.serving.spec.MemoryPlan;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.sim.serving.spec.ServingSpec;
import dev.stagesim.sim.workload.ClosedLoop;
import dev.stagesim.sim.workload.SharedTokens;
import dev.stagesim.stage.vidursim.VidurSimSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One deployment has the same times in {@code vidur_sim}, {@code cluster_sim}, {@code serve_mock} and {@code plan}. */
final class OneReplicaTest {
    private static final List<String> ENGINES = List.of(
            "vllm_v1",
            "sglang",
            "sglang_rocm",
            "trtllm",
            "trtllm_engine",
            "trtllm_static",
            "vllm_v0",
            "vllm_v0_cdna3",
            "vllm_v0_rocm",
            "vllm_v0_server",
            "sarathi",
            "deepspeed_mii",
            "gpt_fast",
            "hf_transformers",
            "llama_cpp",
            "none");
    private static final List<String> MODELS = List.of(
            "llama3_8b",
            "qwen2_5_0_5b",
            "gemma3_4b",
            "mixtral_8x7b",
            "deepseek_v2",
            "nvidia_nvidia_nemotron_nano_9b_v2");
    private static final List<String> DEVICES = List.of("h100", "a100", "mi300x", "l40s", "b200");

    private static final List<Speculation.Method> DRAFTS = List.of(
            Speculation.Method.EAGLE, Speculation.Method.EAGLE3, Speculation.Method.NGRAM, Speculation.Method.MTP);

    /** Cards by option. Composing a card takes milliseconds. */
    private static final Map<String, Object> CARDS = new LinkedHashMap<>();

    private record Case(
            String engine,
            EngineSettings card,
            ModelCard model,
            HardwareCard hardware,
            Precision weights,
            int tp,
            int pp,
            SchedulerSettings scheduler,
            RequestTrace trace) {
        int longest() {
            return IntStream.range(0, trace.size())
                    .map(i -> trace.prefillTokens(i) + trace.decodeTokens(i))
                    .max()
                    .orElseThrow();
        }

        @Override
        public String toString() {
            return engine + " " + model.name() + " " + hardware.name() + " " + weights + " tp " + tp + " pp " + pp + " "
                    + scheduler + ", " + trace.size() + " requests of at most " + longest();
        }
    }

    /** Records the times of all tokens of each request. */
    private static final class TokenTimes implements ServingRecorder {
        private final List<List<Long>> times = new ArrayList<>();

        TokenTimes(int requests) {
            for (int i = 0; i < requests; i++) {
                times.add(new ArrayList<>());
            }
        }

        @Override
        public Set<Signal> signals() {
            return EnumSet.of(Signal.TOKENS);
        }

        @Override
        public void tokenEmitted(int request, int index, double time) {
            times.get(request).add(Math.round(time * 1e9));
        }
    }

    @Test
    void givesTheSameTimesInEveryStage() throws IOException {
        assertThat(compare(1, 60)).isGreaterThan(30);
    }

    @Test
    @Tag("long")
    void givesTheSameTimesInEveryStageForManyDeployments() throws IOException {
        int compared = compare(2, 2000);
        assertThat(compared).isGreaterThan(1000);
    }

    /**
     * Stages with one engine choose the scheduler by the option with the engine's name. Pools and plans choose it in
     * code.
     */
    @Test
    void hasOneSchedulerPerEngine() throws IOException {
        Path configs = Path.of(System.getProperty("stagesim.home", "."), "configs");
        try (Stream<Path> options = Files.list(configs.resolve("engine"))) {
            options.map(file -> file.getFileName().toString()).forEach(file -> {
                String engine = file.replace(".conf", "");
                boolean isNamed = Files.exists(configs.resolve("scheduler").resolve(file));
                assertThat(EngineSchedulers.of(engine))
                        .as(engine)
                        .isEqualTo(CardFiles.scheduler(isNamed ? engine : "sarathi"));
                assertThat(ENGINES).contains(engine);
            });
        }
    }

    private static int compare(long seed, int cases) throws IOException {
        RandomStream random = RandomStream.of(seed, "one replica");
        int compared = 0;
        for (int i = 0; i < cases; i++) {
            Case one = draw(random, ENGINES.get(i % ENGINES.size()));
            compared += runs(one) ? 1 : 0;
        }
        return compared;
    }

    private static <T> T pick(RandomStream random, List<T> of) {
        return of.get((int) random.below(of.size()));
    }

    private static boolean chance(RandomStream random, double share) {
        return random.nextDouble() < share;
    }

    private static EngineSettings engine(String name) {
        return (EngineSettings) CARDS.computeIfAbsent(
                "engine " + name,
                key -> new EngineSettings(1, 50, EngineSettings.Clock.MONOTONIC, 4, CardFiles.engine(name)));
    }

    /** Returns a model with as many multi-token prediction layers as draft tokens. */
    private static ModelCard model(String name) {
        return KeyRecord.with(ModelCard.class, CardFiles.model(name), Map.of("mtpLayers", Optional.of(3)));
    }

    private static Case draw(RandomStream random, String engine) {
        String name = pick(random, MODELS);
        ModelCard model = (ModelCard) CARDS.computeIfAbsent(name, OneReplicaTest::model);
        String device = pick(random, engine.startsWith("trtllm") ? List.of("h100", "b200") : DEVICES);
        HardwareCard hardware = (HardwareCard) CARDS.computeIfAbsent(device, CardFiles::hardware);
        Precision weights = chance(random, 0.3)
                        && hardware.rates().fp8Tflops().isPresent()
                        && model.expertPrecision() == model.formats().weights()
                ? Precision.FP8
                : model.formats().weights();
        int tp = pick(random, List.of(1, 1, 2, 4, 8));
        int pp = chance(random, 0.2) ? 2 : 1;
        boolean isOwn = chance(random, 0.6);
        SchedulerSettings scheduler = isOwn ? EngineSchedulers.of(engine) : scheduler(random);
        scheduler = limited(random, scheduler);
        RequestTrace trace = trace(random, hasPrefixes(scheduler) && chance(random, 0.5));
        return new Case(engine, engine(engine), model, hardware, weights, tp, pp, scheduler, trace);
    }

    private static boolean hasPrefixes(SchedulerSettings scheduler) {
        return scheduler instanceof SchedulerSettings.VllmV1 || scheduler instanceof SchedulerSettings.Sglang;
    }

    private static SchedulerSettings scheduler(RandomStream random) {
        return switch ((int) random.below(7)) {
            case 0 -> KeyRecord.defaults(SchedulerSpec.Vllm.class);
            case 1 -> KeyRecord.defaults(SchedulerSpec.Sarathi.class);
            case 2 -> KeyRecord.defaults(SchedulerSpec.Orca.class);
            case 3 -> KeyRecord.defaults(SchedulerSpec.FasterTransformer.class);
            case 4 -> KeyRecord.defaults(SchedulerSpec.LightLlm.class);
            case 5 ->
                KeyRecord.of(
                        SchedulerSettings.Sglang.class,
                        Map.of("enableMixedChunk", chance(random, 0.5), "disableOverlapSchedule", chance(random, 0.5)));
            default ->
                KeyRecord.of(
                        SchedulerSettings.VllmV1.class,
                        Map.of(
                                "enablePrefixCaching",
                                chance(random, 0.5),
                                "asyncScheduling",
                                Optional.of(chance(random, 0.5)),
                                "modelRunner",
                                chance(random, 0.5) ? 1 : 2,
                                "longPrefillTokenThreshold",
                                chance(random, 0.3) ? 300 : 0,
                                "speculative",
                                KeyRecord.of(
                                        SchedulerSettings.VllmV1.Speculative.class,
                                        chance(random, 0.6)
                                                ? Map.of()
                                                : Map.of("numTokens", 3, "method", pick(random, DRAFTS)))));
        };
    }

    private static SchedulerSettings limited(RandomStream random, SchedulerSettings scheduler) {
        boolean isFew = chance(random, 0.4);
        boolean isShort = chance(random, 0.4) && !(scheduler instanceof SchedulerSpec.Vllm);
        return EngineSchedulers.with(
                scheduler,
                new EngineSchedulers.Limits(
                        isFew ? Optional.of(1 + (int) random.below(24)) : Optional.empty(),
                        isShort ? Optional.of(64 + (int) random.below(2000)) : Optional.empty(),
                        hasPrefixes(scheduler) && chance(random, 0.3)
                                ? Optional.of(0.7 + 0.2 * random.nextDouble())
                                : Optional.empty()));
    }

    private static RequestTrace trace(RandomStream random, boolean hasPrefixes) {
        int size = 2 + (int) random.below(14);
        double perSecond = Math.pow(10, 2 * random.nextDouble());
        double[] arrivals = new double[size];
        int[] prompts = new int[size];
        int[] outputs = new int[size];
        Tokens[] tokens = new Tokens[size];
        double at = 0;
        for (int i = 0; i < size; i++) {
            at = Math.round((at - Math.log(1 - random.nextDouble()) / perSecond) * 1e9) / 1e9;
            arrivals[i] = at;
            prompts[i] = 1 + (int) random.below(chance(random, 0.3) ? 3500 : 400);
            outputs[i] = 1 + (int) random.below(40);
            int common = hasPrefixes ? prompts[i] * 7 / 8 : 0;
            tokens[i] = new Tokens.Builder()
                    .run(common == 0 ? 0 : random.below(2) * 1_000_000, common)
                    .run(SharedTokens.promptOf(i), prompts[i] - common)
                    .then(SharedTokens.outputOf(i));
        }
        return hasPrefixes
                ? new RequestTrace(arrivals, prompts, outputs, request -> tokens[request])
                : new RequestTrace(arrivals, prompts, outputs);
    }

    private static SimulationSettings simulation(int longest) {
        return KeyRecord.with(
                SimulationSettings.class, Defaults.simulation(), Map.of("maxTokens", Optional.of(longest)));
    }

    private static ReplicaModel vidurSim(Case one) {
        return Defaults.of(
                        VidurSimSettings.class,
                        Map.ofEntries(
                                entry(
                                        "model",
                                        one.model()
                                                .stored(
                                                        one.weights(),
                                                        one.weights(),
                                                        one.model().formats().kvCache())),
                                entry("hardware", one.hardware()),
                                entry("engine", one.card()),
                                entry("scheduler", one.scheduler()),
                                entry("cluster", EngineSchedulers.cluster(one.tp(), one.pp(), Optional.empty())),
                                entry("simulation", simulation(one.longest()))))
                .replica();
    }

    private static ReplicaModel serveMock(Case one) {
        return Defaults.of(
                        ServeMockSettings.class,
                        Map.ofEntries(
                                entry(
                                        "model",
                                        one.model()
                                                .stored(
                                                        one.weights(),
                                                        one.weights(),
                                                        one.model().formats().kvCache())),
                                entry("hardware", one.hardware()),
                                entry("engine", one.card()),
                                entry("scheduler", one.scheduler()),
                                entry("cluster", EngineSchedulers.cluster(one.tp(), one.pp(), Optional.empty())),
                                entry(
                                        "simulation",
                                        KeyRecord.with(
                                                OnlineSettings.class,
                                                Defaults.online(),
                                                Map.of("maxTokens", Optional.of(one.longest()))))))
                .replica();
    }

    private static ClusterSimSettings clusterSim(Case one) {
        Pool pool = KeyRecord.make(Pool.class, component -> switch (component.getName()) {
            case "role" -> PoolRole.BOTH;
            case "replicas" -> 1;
            case "engine" -> one.engine();
            case "tp" -> one.tp();
            case "pp" -> one.pp();
            case "weights" -> Optional.of(one.weights());
            case "scheduler" -> Optional.of(one.scheduler());
            default -> KeyRecord.defaultValue(component);
        });
        return new ClusterSimSettings(
                one.model(),
                one.hardware(),
                Defaults.workload(),
                Defaults.arrival(),
                Map.of(one.engine(), one.card()),
                Clusters.of(
                        Map.of("all", pool),
                        new LeastOutstanding.Settings(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty()),
                Optional.empty(),
                Optional.empty());
    }

    /** Compares the stages. Returns false if the deployment cannot run, which all stages must report. */
    private static boolean runs(Case one) throws IOException {
        ReplicaModel replica = vidurSim(one);
        ClusterSimSettings cluster = clusterSim(one);
        boolean isFeasible = replica.whyInfeasible().isEmpty();
        if (isFeasible != PoolPlans.problems(cluster).isEmpty() && isFeasible) {
            fail("only cluster_sim refuses %s: %s", one, PoolPlans.problems(cluster));
        }
        if (!isFeasible) {
            refusedByAll(one, cluster);
            return false;
        }
        ServingSpec spec = replica.spec(one.longest(), false, Path.of("unread"));
        if (!Feasibility.problems(spec, MemoryPlan.of(spec), one.trace()).isEmpty()) {
            return false;
        }
        OperatorTimes times = replica.times(one.longest(), false, Path.of("unread"), warning -> {}, Optional.empty());
        TokenTimes tokens = new TokenTimes(one.trace().size());
        ServingOutcome outcome = ServingSimulator.run(spec, one.trace(), times, tokens);
        assertThat(outcome.ending()).as(one.toString()).isEqualTo(ServingOutcome.Ending.FINISHED);
        cluster(one, cluster, outcome);
        one.trace().closed(Optional.of(new ClosedLoop(3, 0.01, 0)));
        cluster(one, cluster, ServingSimulator.run(spec, one.trace(), times));
        one.trace().closed(Optional.empty());
        online(one, tokens);
        planned(one, outcome);
        return true;
    }

    private static void refusedByAll(Case one, ClusterSimSettings cluster) {
        boolean isRefused = !PoolPlans.problems(cluster).isEmpty();
        if (!isRefused) {
            try {
                PoolPlans.of(cluster, one.longest());
                fail("cluster_sim runs what vidur_sim refuses: %s", one);
            } catch (StageException refused) {
                assertThat(refused.problems()).isNotEmpty();
            }
        }
        assertThat(serveMock(one).whyInfeasible()).as(one.toString()).isPresent();
    }

    private static void same(Case one, String stage, int request, String what, double expected, double actual) {
        if (Math.round(expected * 1e9) != Math.round(actual * 1e9)) {
            fail(
                    "%s: %s of request %d is %.9f, and %.9f in vidur_sim; %s",
                    stage, what, request, actual, expected, one);
        }
    }

    private static void cluster(Case one, ClusterSimSettings settings, ServingOutcome outcome) {
        List<PoolPlan> pools = PoolPlans.of(settings, one.longest());
        for (boolean isWhole : new boolean[] {false, true}) {
            ClusterSim sim = isWhole
                    ? ClusterSim.create(settings.cluster(), pools, one.trace(), RoutingPolicyOverride.NONE)
                    : new ClusterSim(settings.cluster(), pools, one.trace());
            RequestTimeline timeline = sim.run();
            for (int i = 0; i < one.trace().size(); i++) {
                same(one, "cluster_sim", i, "first", outcome.states().prefillCompletedAt(i), timeline.firstToken[i]);
                same(one, "cluster_sim", i, "end", outcome.states().completedAt(i), timeline.completed[i]);
                assertThat(timeline.preemptions[i]).isEqualTo(outcome.states().restarts(i));
            }
        }
    }

    private static void online(Case one, TokenTimes tokens) throws IOException {
        if (!one.trace().hasUniqueTokens()) {
            return; // Clients of a server send texts, so the stage cannot compare tokens.
        }
        ReplicaModel replica = serveMock(one);
        TokenTimes online = new TokenTimes(one.trace().size());
        ServingSpec spec = replica.spec(one.longest(), false, Path.of("unread"));
        OperatorTimes times = replica.times(one.longest(), false, Path.of("unread"), warning -> {}, Optional.empty());
        OnlineServing serving = new OnlineServing(spec, times, one.trace().size(), () -> 1.0, online);
        int[] place = new int[one.trace().size()];
        Arrays.setAll(
                place,
                i -> serving.submit(
                        one.trace().arrivalSeconds(i),
                        one.trace().prefillTokens(i),
                        one.trace().decodeTokens(i)));
        serving.advanceTo(1e6);
        List<List<Long>> known = new ArrayList<>();
        for (int i = 0; i < place.length; i++) {
            known.add(tokens.times.get(i));
        }
        assertThat(online.times.stream().flatMap(List::stream).sorted().toList())
                .as("tokens of serve_mock, %s", one)
                .isEqualTo(known.stream().flatMap(List::stream).sorted().toList());
    }

    private static void planned(Case one, ServingOutcome outcome) {
        if (EngineChoice.Kind.of(one.engine()).isEmpty()) {
            return;
        }
        EngineChoice.Shape shape = new EngineChoice.Shape(
                one.engine(),
                one.card().step(),
                one.tp(),
                one.pp(),
                one.weights(),
                one.weights(),
                one.model().formats().kvCache());
        ReplicaModel replica =
                shape.replica(one.model(), one.hardware(), one.scheduler(), Optional.empty(), one.longest());
        ServingOutcome planned = ServingSimulator.run(replica.replicated(1, 1e6).spec(), one.trace(), replica.times());
        for (int i = 0; i < one.trace().size(); i++) {
            same(
                    one,
                    "plan",
                    i,
                    "first",
                    outcome.states().prefillCompletedAt(i),
                    planned.states().prefillCompletedAt(i));
            same(
                    one,
                    "plan",
                    i,
                    "end",
                    outcome.states().completedAt(i),
                    planned.states().completedAt(i));
        }
    }
}
