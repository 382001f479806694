package dev.stagesim.feature.plan;

import dev.stagesim.contract.RunConditions;
import dev.stagesim.feature.plan.PlanSettings.PlanGoal;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.trace.WorkloadDocument;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.serving.EngineChoice.Kind;
import dev.stagesim.serving.ServingInput;
import dev.stagesim.serving.ServingWorkload;
import dev.stagesim.serving.evidence.PublishedErrors;
import dev.stagesim.serving.evidence.ReplicaSource;
import dev.stagesim.serving.workload.LengthSettings;
import dev.stagesim.serving.workload.SharingSettings;
import dev.stagesim.stage.Oracle;
import dev.stagesim.stage.StageContext;
import dev.stagesim.stage.StageSpec;
import dev.stagesim.stage.Upstream;
import dev.stagesim.workload.ArrivalSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * The stage {@code plan}: finds the cheapest deployment that meets an SLO at a load, and writes the commands to run it.
 */
final class PlanStage implements ReplicaSource<PlanSettings> {
    /** Engine cards of compiled TensorRT engines, for which no command line is written. */
    private static final Set<String> COMPILED = Set.of("trtllm_engine", "trtllm_static");

    static final String WORKLOAD = "workload";
    private static final int MIN_REQUESTS = 1000;
    private static final int MAX_REQUESTS = 12_000;
    private static final int SECONDS = 120;

    /** Requests per request in flight of a closed loop. */
    private static final int WAVES = 20;

    /** Time of arrivals in lengths of a session, so that few sessions are cut by the start and the end of a run. */
    private static final int SESSIONS = 10;

    private static final int MIN_SECONDS = 60;
    private static final double SECONDS_PER_TOKEN = 0.4;

    @Override
    public StageSpec<PlanSettings> spec() {
        return new StageSpec<>(
                "plan",
                "Plan how to serve a model: find the engine, parallelism, precision, batch limits and copies that meet an SLO"
                        + " at the lowest cost, with the highest throughput or with the lowest latency, confirmed by simulation.",
                PlanSettings.class,
                PlanTables::all,
                3,
                false);
    }

    @Override
    public List<Upstream> upstreams(PlanSettings settings) {
        List<Upstream> upstreams = new ArrayList<>();
        for (String role : roles(settings)) {
            Map<String, Object> changes = new LinkedHashMap<>();
            if (isDrawn(settings)) {
                changes.put("workload.num_requests", requests(settings));
            }
            boolean isLoadGiven = settings.goal() != PlanGoal.THROUGHPUT;
            if (isLoadGiven && isDrawn(settings) && hasTurns(settings) && hasRate(settings.arrival())) {
                changes.put("arrival.qps", settings.load()); // scaled arrivals would scale the times between turns
            }
            if (!upstreams.isEmpty() && settings.workload() instanceof ServingWorkload serving) {
                changes.put("workload.seed", serving.drawSeed() + upstreams.size());
            }
            upstreams.add(new Upstream(
                            role,
                            WORKLOAD,
                            ServingInput.SOURCES,
                            "workload.dir",
                            settings.workload().dir())
                    .with(changes));
        }
        return upstreams;
    }

    /** Returns the roles of the workload runs, one per seed. Requests that are not drawn are the same for all seeds. */
    static List<String> roles(PlanSettings settings) {
        int drawn = isDrawn(settings) && !isConstant(settings) ? settings.seeds() : 1;
        return IntStream.rangeClosed(1, drawn)
                .mapToObj(seed -> seed == 1 ? WORKLOAD : WORKLOAD + "_" + seed)
                .toList();
    }

    /** True if the workload is generated, so that any number of requests can be drawn. */
    private static boolean isDrawn(PlanSettings settings) {
        return settings.workload() instanceof ServingWorkload serving && serving.isDrawn();
    }

    /** True if requests are turns of sessions or calls of tasks, with times between them. */
    static boolean hasTurns(PlanSettings settings) {
        return settings.workload() instanceof ServingWorkload serving
                && serving.sharing().hasSessions();
    }

    private static boolean hasRate(ArrivalSettings arrival) {
        return arrival instanceof ArrivalSettings.Poisson || arrival instanceof ArrivalSettings.Gamma;
    }

    /** True if all requests of a closed loop are equal, so that a seed has no effect. */
    private static boolean isConstant(PlanSettings settings) {
        return settings.closedLoop().isPresent()
                && settings.workload() instanceof ServingWorkload serving
                && serving.lengths() instanceof LengthSettings.Fixed
                && serving.sharing().isNone();
    }

    private static int requests(PlanSettings settings) {
        return settings.requests().orElse((int)
                Math.min(MAX_REQUESTS, Math.max(MIN_REQUESTS, Math.ceil(perLoad(settings) * settings.load()))));
    }

    private static double perLoad(PlanSettings settings) {
        return settings.closedLoop().isPresent() ? WAVES : Math.max(SECONDS, SESSIONS * sessionSeconds(settings));
    }

    /** Returns the mean time from the first to the last request of a session, without answers; 0 without sessions. */
    private static double sessionSeconds(PlanSettings settings) {
        if (settings.workload() instanceof ServingWorkload serving
                && serving.sharing() instanceof SharingSettings.Sessions sessions) {
            return (sessions.turns() - 1) * sessions.thinkTimeS();
        }
        return settings.workload() instanceof ServingWorkload serving
                        && serving.sharing() instanceof SharingSettings.Agents agents
                ? (agents.calls() - 1) * agents.toolTimeS()
                : 0;
    }

    /**
     * Returns the requests to simulate, from workloads with different seeds. If a further seed contains a request
     * beyond the context of the model, it is replaced by the requests of the first seed in another order.
     */
    static RequestSamples requests(PlanSettings settings, List<ServingInput> inputs) {
        if (inputs.get(0).isClosed() != settings.closedLoop().isPresent()) {
            throw StageException.input(Problem.of(
                            "workload error",
                            "workload.dir",
                            inputs.get(0).isClosed()
                                    ? "is a closed loop, but arrival.kind is not closed_loop"
                                    : "is an open loop, but arrival.kind is closed_loop")
                    .hint("set arrival as in the workload, or leave workload.dir out"));
        }
        List<ServingInput> fitting = new ArrayList<>(inputs.subList(0, 1));
        inputs.stream()
                .skip(1)
                .filter(input -> input.longest() <= settings.model().maxPosition())
                .forEach(fitting::add);
        return new RequestSamples(fitting, requestCount(settings, inputs.get(0)), settings.seeds());
    }

    /** Returns the number of requests to simulate; short outputs need fewer. */
    private static int requestCount(PlanSettings settings, ServingInput input) {
        double outputs = input.trace().outputTokens();
        double seconds = SECONDS_PER_TOKEN * outputs / Math.max(1, input.trace().size());
        double wanted = settings.load() * (settings.closedLoop().isPresent() ? WAVES : Math.max(MIN_SECONDS, seconds));
        int max = requests(settings);
        if (hasTurns(settings)) {
            return max; // the first requests of sessions have a lower rate
        }
        return settings.requests().orElse((int) Math.min(max, Math.max(MIN_REQUESTS, wanted)));
    }

    @Override
    public Optional<Oracle<PlanSettings>> oracle() {
        return Optional.of(new PlanOracle());
    }

    @Override
    public List<Path> reads(PlanSettings settings, Path home) {
        return PublishedErrors.files(home);
    }

    @Override
    public List<NamedReplica> replicas(PlanSettings settings, Path run) throws IOException {
        return AnswerTable.read(settings, run);
    }

    @Override
    public void check(PlanSettings settings, Path home) {
        Slo.parse(settings.slo());
        List<Problem> problems = new ArrayList<>();
        if (!(settings.workload() instanceof ServingWorkload)) {
            problems.add(Problem.config("workload.kind", "must be serving"));
        }
        if (settings.engines().isEmpty()) {
            problems.add(Problem.config("engines", "contains no engine")
                    .hint("configs/plan.conf has three; +engine@engines.vllm_v1=vllm_v1 adds one, '~engines.sglang'"
                            + " removes one"));
        }
        if (settings.hardware().kernels().source().isEmpty()
                || settings.hardware().bf16OrFp16Tflops().isEmpty()) {
            problems.add(Problem.config(
                    "hardware",
                    "no kernel parameters exist for the architecture of "
                            + settings.hardware().name()));
        }
        problems.addAll(unknownEngines(settings));
        for (String engine : settings.candidates().keySet()) {
            if (Kind.of(engine).isEmpty() || COMPILED.contains(engine)) {
                List<String> known =
                        Arrays.stream(Kind.values()).map(Kind::beginning).toList();
                problems.add(Problem.config("engines." + engine, "is not an engine that can be planned")
                        .note(
                                "expected",
                                "a name that begins with one of " + String.join(", ", known)
                                        + "; compiled TensorRT engines are not supported"));
            }
        }
        PlanSettings.Search search = settings.search();
        if (search.maxNumSeqs().stream()
                .noneMatch(seqs -> search.maxNumBatchedTokens().stream().anyMatch(tokens -> seqs <= tokens))) {
            problems.add(Problem.config(
                    "search.max_num_seqs", "must contain a value that does not exceed search.max_num_batched_tokens"));
        }
        problems.addAll(closedLoop(settings));
        problems.addAll(goal(settings));
        problems.addAll(pools(settings));
        StageException.refuse(problems);
    }

    private static List<Problem> goal(PlanSettings settings) {
        List<Problem> problems = new ArrayList<>();
        if (settings.goal() == PlanGoal.CHEAPEST) {
            settings.devices()
                    .ifPresent(count -> problems.add(Problem.config(
                                    "devices", "has no effect with goal=cheapest, which finds the number of devices")
                            .hint("choose goal=throughput or goal=latency, or leave it out")));
            return problems;
        }
        if (settings.goal() == PlanGoal.THROUGHPUT
                && settings.objective().load().isPresent()) {
            problems.add(Problem.config("load", "has no effect with goal=throughput, which finds the highest load")
                    .hint("leave load and rate out, or choose goal=cheapest"));
        }
        if (settings.search().hasPools()) {
            problems.add(Problem.config("goal", "must be cheapest with search.pools or search.routers"));
        }
        return problems;
    }

    private static List<Problem> unknownEngines(PlanSettings settings) {
        Set<String> known = settings.engines().keySet();
        return settings.search().engines().stream()
                .filter(engine -> !known.contains(engine))
                .map(engine -> Problem.config("search.engines", engine + " is not in the section engines")
                        .options(List.copyOf(known))
                        .didYouMean(Suggest.near(engine, known))
                        .hint("+engine@engines." + engine + "=" + engine + " adds it"))
                .toList();
    }

    private static List<Problem> closedLoop(PlanSettings settings) {
        List<Problem> problems = new ArrayList<>();
        if (!(settings.arrival() instanceof ArrivalSettings.Closed closed)) {
            return problems;
        }
        if (settings.objective().load().isPresent() || closed.qps().isPresent()) {
            problems.add(Problem.config(
                            closed.qps().isPresent() ? "arrival.qps" : "load",
                            "has no effect with arrival.kind=closed_loop, whose load is arrival.concurrency")
                    .hint("set either rate or concurrency"));
        }
        if (hasTurns(settings)) {
            problems.add(Problem.config(
                            "arrival.concurrency",
                            "cannot count sessions in plan, because idle times between turns depend on the answers")
                    .hint("set rate= to plan for a request rate, or simulate a deployment with vidur_sim turns=4"
                            + " concurrency=" + closed.concurrency()
                            + "; its search finds the most sessions: sweeper=capacity sweeper.key=concurrency"));
        }
        if (settings.search().hasPools()) {
            problems.add(Problem.config(
                    settings.search().pooling().pools() ? "search.pools" : "search.routers",
                    "requires a request rate instead of arrival.kind=closed_loop"));
        }
        return problems;
    }

    private static List<Problem> pools(PlanSettings settings) {
        List<Problem> problems = new ArrayList<>();
        PlanSettings.Search search = settings.search();
        boolean canPool = settings.candidates().keySet().stream().anyMatch(PoolSearch::canPool);
        if (search.hasPools() && !canPool) {
            problems.add(Problem.config(
                            search.pooling().pools() ? "search.pools" : "search.routers",
                            "has no effect: pools and routers require vLLM V1, SGLang or TensorRT-LLM, and engines contains none of them")
                    .hint("+engine@engines.vllm_v1=vllm_v1 adds it"));
        }
        if (search.pooling().outputHardware().isPresent() && !search.pooling().pools()) {
            problems.add(Problem.config("search.output_hardware", "has no effect without search.pools=true"));
        }
        if (search.pooling().poolSimulations() != PlanSettings.Search.POOL_SIMULATIONS && !search.hasPools()) {
            problems.add(
                    Problem.config("search.pool_simulations", "has no effect without search.pools or search.routers")
                            .hint("set search.pools=true, or leave it out"));
        }
        boolean hasPrice = settings.priceUsdHr()
                .or(() -> settings.hardware().costs().priceUsdHrTyp())
                .isPresent();
        search.pooling()
                .outputHardware()
                .filter(card -> hasPrice && card.costs().priceUsdHrTyp().isEmpty())
                .ifPresent(card -> problems.add(Problem.config(
                                "search.output_hardware.price_usd_hr_typ",
                                "is missing: the card of " + card.name()
                                        + " has no price, so pools and copies cannot be compared by cost")
                        .hint("set search.output_hardware.price_usd_hr_typ, in USD/h")));
        List<HardwareCard> cards = new ArrayList<>(List.of(settings.hardware()));
        search.pooling().outputHardware().ifPresent(cards::add);
        for (HardwareCard card : search.pooling().pools() ? cards : List.<HardwareCard>of()) {
            if (card.host().nicGbpsPerAccelTyp().isEmpty()) {
                problems.add(Problem.config(
                                "search.pools",
                                "requires a network between instances, and " + card.name() + " has none")
                        .hint("set nic_gbps_per_accel_typ of its card"));
            }
        }
        return problems;
    }

    @Override
    public void run(PlanSettings settings, StageContext context) throws IOException {
        check(settings, context.home());
        List<ServingInput> inputs = new ArrayList<>();
        for (String role : roles(settings)) {
            inputs.add(ServingInput.orMean(context.input(role).dir(), context::warn));
        }
        inputs.get(0)
                .presetLengths(
                        settings.workload(),
                        ServingInput.isDrawn(settings.workload(), context.input(WORKLOAD)),
                        context::isSet)
                .ifPresent(context::notice);
        ServingPlan plan = ServingPlan.of(
                settings, requests(settings, inputs), context.home(), context::expect, context::progress);
        Path out = context.out();
        new PlanWriter(plan).write(out);
        Map<String, String> files = plan.files();
        write(out.resolve("best"), files);
        write(out.resolve(plan.alternative()), plan.alternativeFiles());
        Optional<WorkloadDocument> workload =
                Json.readDocument(context.input(WORKLOAD).dir(), WorkloadDocument.class);
        RunConditions conditions = context.conditions(new PlanConditions(plan, workload).all());
        Json.writeDocument(out, conditions);
        PlanAnswer answer = new PlanAnswer(plan);
        new PlanReport(plan, answer, conditions, files).report().write(out);
        context.notice(answer.sentence());
        plan.answer()
                .filter(best -> best.parts().size() == 1)
                .ifPresent(best -> context.notice(
                        "simulate it: " + plan.simulation(best, best.parts().get(0))));
        plan.answer().stream().flatMap(best -> best.replica().notes()).forEach(context::notice);
        workload.flatMap(WorkloadDocument::truncation).ifPresent(context::warn);
        plan.warnings().forEach(context::warn);
        plan.headlines().forEach(context::headline);
        if (plan.answer().isEmpty()) {
            context.checkFailed(Problem.of("check failed", "slo", plan.nothing()));
        }
    }

    private static void write(Path directory, Map<String, String> files) throws IOException {
        for (Map.Entry<String, String> file : files.entrySet()) {
            Files.createDirectories(directory);
            Files.writeString(directory.resolve(file.getKey()), file.getValue(), StandardCharsets.UTF_8);
        }
    }
}
