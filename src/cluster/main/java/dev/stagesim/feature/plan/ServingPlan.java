package dev.stagesim.feature.plan;

import dev.stagesim.feature.plan.DeploymentCandidate.SizeEstimate;
import dev.stagesim.feature.plan.DeploymentCandidate.Status;
import dev.stagesim.feature.plan.PlanSettings.PlanGoal;
import dev.stagesim.feature.plan.SimulationCache.DeploymentResult;
import dev.stagesim.feature.plan.deploy.EngineLaunch;
import dev.stagesim.model.Count;
import dev.stagesim.model.Feature;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.report.Numbers;
import dev.stagesim.serving.ConditionText;
import dev.stagesim.serving.EngineChoice;
import dev.stagesim.serving.MemoryFit;
import dev.stagesim.serving.PoolSimulator;
import dev.stagesim.serving.PoolSimulator.Pool;
import dev.stagesim.serving.evidence.EvidenceQuery;
import dev.stagesim.serving.evidence.PublishedErrors;
import dev.stagesim.sim.kernels.Links;
import dev.stagesim.stage.Estimate;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.stream.Stream;

/**
 * Result of the search.
 *
 * @param ranked all deployments, best first
 * @param candidateCount number of deployments in the search space
 * @param slowdowns sizes of the winner for longer steps
 * @param poolConfigurations simulated pools and routers; configurations that meet the SLO come first, cheapest first
 * @param isCut whether the simulation limit excluded deployments that may be feasible or better
 * @param answer the recommended deployment; empty if none meets the SLO
 */
record ServingPlan(
        PlanSettings settings,
        RequestSamples requests,
        Slo slo,
        SimulationCache simulations,
        List<DeploymentCandidate> ranked,
        int candidateCount,
        PublishedErrors errors,
        List<Slowdown> slowdowns,
        List<PoolConfiguration> poolConfigurations,
        boolean isCut,
        Optional<Recommendation> answer) {
    /**
     * Size of the winner if steps take longer than predicted.
     *
     * @param when source of the factor
     * @param factor ratio of the step times to the predicted ones
     * @param replicas required copies; 0 if the limit on copies is reached
     */
    record Slowdown(String when, double factor, int replicas) {}

    static final int HOURS_PER_MONTH = 730;
    private static final double SECONDS_PER_TOKEN = 2e-7;
    private static final double BASE_BYTES = 26 << 20;
    private static final double SECONDS_PER_HOUR = 3600;
    private static final double MILLION = 1e6;
    private static final double LOW_HEADROOM = 0.1;

    /** Minimum headroom of a plan without a warning; the load search has the same resolution. */
    private static final double NO_HEADROOM = 0.05;

    private static final double NO_MARGIN = 0.01;
    private static final double PERCENT = 100;
    private static final int MIN_REQUESTS = 1000;

    /** Maximum factor on the times between turns without a warning. */
    private static final double MAX_SCALE = 1.5;

    /** Receives the number of simulations so far and their maximum. */
    @FunctionalInterface
    interface Progress {
        void at(String what, long count, long max);
    }

    static ServingPlan of(
            PlanSettings settings, RequestSamples requests, Path home, Consumer<Estimate> expected, Progress progress)
            throws IOException {
        checkContext(settings, requests);
        Slo slo = Slo.parse(settings.slo());
        SimulationCache simulations = new SimulationCache(requests, slo);
        List<List<DeploymentCandidate>> shapes = new Estimator(settings, requests, slo).all();
        expected.accept(expected(settings, requests, shapes));
        int candidateCount = shapes.stream().mapToInt(List::size).sum();
        LongConsumer counted = upTo(
                progress, "combinations of copies and load", settings.search().simulations());
        DeploymentSearch search = new DeploymentSearch(settings, slo, simulations, counted);
        boolean isCheapest = settings.goal() == PlanGoal.CHEAPEST;
        GoalSearch goal = new GoalSearch(settings, requests.output(), slo, simulations, counted);
        List<DeploymentCandidate> ranked = isCheapest ? search.run(shapes) : goal.run(shapes);
        PublishedErrors errors = PublishedErrors.read(home);
        List<Slowdown> slowdowns = DeploymentSearch.winner(ranked)
                .filter(winner -> isCheapest)
                .map(winner -> slowdowns(winner, search, errors, settings))
                .orElse(List.of());
        List<PoolConfiguration> poolConfigurations =
                searchPools(settings, requests, slo, simulations, ranked, progress);
        PlanSettings settled = GoalSearch.settled(settings, ranked);
        return new ServingPlan(
                settled,
                requests,
                slo,
                simulations,
                ranked,
                candidateCount,
                errors,
                slowdowns,
                poolConfigurations,
                search.isCut() || goal.isCut(),
                Recommendation.of(
                        settled, simulations, DeploymentSearch.winner(ranked), bestPools(poolConfigurations)));
    }

    /** Reports counts with the permitted maximum; the headroom of the answer can need further simulations. */
    private static LongConsumer upTo(Progress progress, String what, long max) {
        return count -> progress.at(what, count, Math.max(count, max));
    }

    /** Returns the best deployment by the steady state alone; empty if none is predicted to meet the SLO. */
    static ServingPlan estimated(PlanSettings settings, RequestSamples requests, Path home) throws IOException {
        checkContext(settings, requests);
        Slo slo = Slo.parse(settings.slo());
        List<List<DeploymentCandidate>> shapes = new Estimator(settings, requests, slo).all();
        Optional<DeploymentCandidate> winner = settings.goal() == PlanGoal.CHEAPEST
                ? DeploymentSearch.promising(shapes, settings.load())
                : GoalSearch.promising(settings, requests.output(), shapes);
        List<DeploymentCandidate> best = winner.stream().toList();
        SimulationCache simulations = new SimulationCache(requests, slo);
        return new ServingPlan(
                GoalSearch.settled(settings, best),
                requests,
                slo,
                simulations,
                best,
                shapes.stream().mapToInt(List::size).sum(),
                PublishedErrors.read(home),
                List.of(),
                List.of(),
                false,
                winner.map(copies -> Recommendation.of(simulations, copies)));
    }

    private static void checkContext(PlanSettings settings, RequestSamples requests) {
        if (requests.longest() > settings.model().maxPosition()) {
            throw StageException.input(Problem.of(
                            "workload error",
                            "workload",
                            "the longest request has " + requests.longest() + " tokens; the context of "
                                    + settings.model().name() + " is "
                                    + settings.model().maxPosition() + " tokens")
                    .hint("cap requests with workload.max_tokens="
                            + settings.model().maxPosition()));
        }
    }

    /**
     * Estimates the maximum work, the time of one simulation per possible shape, and the memory of the largest one. Deployments with many more
     * devices than the smallest prediction are not simulated.
     */
    private static Estimate expected(
            PlanSettings settings, RequestSamples requests, List<List<DeploymentCandidate>> shapes) {
        PlanSettings.Search search = settings.search();
        int pools = search.hasPools() ? search.pooling().poolSimulations() : 0;
        double tokens = requests.size() * requests.output();
        long possible = shapes.stream()
                .filter(shape -> shape.stream().anyMatch(c -> c.estimate().isPresent()))
                .count();
        long runs = Math.min(search.simulations(), possible) + pools;
        int smallest = shapes.stream()
                .flatMap(List::stream)
                .filter(c -> c.estimate().filter(SizeEstimate::meetsSlo).isPresent())
                .mapToInt(DeploymentCandidate::devices)
                .min()
                .orElse(Integer.MAX_VALUE / 2);
        double memory = shapes.stream()
                .flatMap(List::stream)
                .filter(c -> c.devices() <= 2 * smallest)
                .mapToDouble(ServingPlan::simulatedBytes)
                .max()
                .orElse(0);
        return new Estimate(
                (search.simulations() + pools) * tokens,
                "tokens",
                runs * tokens * SECONDS_PER_TOKEN,
                BASE_BYTES + memory,
                0);
    }

    private static double simulatedBytes(DeploymentCandidate candidate) {
        return candidate
                .estimate()
                .map(estimate -> candidate.replica().orElseThrow().simulatedBytes(estimate.replicas()))
                .orElse(0.0);
    }

    private static List<PoolConfiguration> searchPools(
            PlanSettings settings,
            RequestSamples requests,
            Slo slo,
            SimulationCache simulations,
            List<DeploymentCandidate> ranked,
            Progress progress) {
        if (!settings.search().hasPools()) {
            return List.of();
        }
        PoolSimulator simulator = Feature.all(PoolSimulator.class).stream()
                .findFirst()
                .orElseThrow(() -> StageException.input(Problem.config(
                        "search", "this build has no simulation of pools: leave search.pools and search.routers out")));
        LongConsumer pools = upTo(progress, "pools", settings.search().pooling().poolSimulations());
        PoolSearch search = new PoolSearch(settings, requests, slo, simulations, simulator, pools);
        List<PoolConfiguration> all = new ArrayList<>(search.run(ranked));
        all.sort(Comparator.comparing((PoolConfiguration configuration) -> !configuration.meetsSlo())
                .thenComparingDouble(configuration -> cost(settings, configuration))
                .thenComparingDouble(
                        configuration -> configuration.result().metrics().getOrDefault("ttft_p99_ms", 0.0)));
        if (!all.isEmpty() && areCheaper(settings, all.get(0), DeploymentSearch.winner(ranked))) {
            all.set(0, search.atHigherLoads(all.get(0)));
        }
        return all;
    }

    /** Returns the price in USD/h, or the number of devices if the price is unknown. */
    private static double cost(PlanSettings settings, PoolConfiguration configuration) {
        return usdPerHour(settings, configuration).orElse((double) configuration.devices());
    }

    private static Optional<Double> usdPerHour(PlanSettings settings, PoolConfiguration configuration) {
        Optional<Double> first = price(settings);
        Optional<Double> later = settings.search()
                .pooling()
                .outputHardware()
                .map(card -> card.costs().priceUsdHrTyp())
                .orElse(first);
        int outputs = configuration.outputs().map(Pool::devices).orElse(0);
        return first.flatMap(
                price -> later.map(other -> price * (configuration.devices() - outputs) + other * outputs));
    }

    Optional<Double> usdPerMonth(Recommendation best) {
        return best.pools().map(this::usdPerMonth).orElseGet(() -> usdPerMonth(best.devices()));
    }

    Optional<Double> usdPerMonth(PoolConfiguration configuration) {
        return usdPerHour(settings, configuration).map(price -> price * HOURS_PER_MONTH);
    }

    /** Returns the cheapest pools that meet the SLO. */
    Optional<PoolConfiguration> bestPools() {
        return bestPools(poolConfigurations);
    }

    private static Optional<PoolConfiguration> bestPools(List<PoolConfiguration> configurations) {
        return configurations.stream().filter(PoolConfiguration::meetsSlo).findFirst();
    }

    /** True if pools cost less than copies with a round-robin router. */
    boolean arePoolsCheaper() {
        return answer.flatMap(Recommendation::pools).isPresent();
    }

    static boolean areCheaper(PlanSettings settings, PoolConfiguration pools, Optional<DeploymentCandidate> copies) {
        return pools.meetsSlo()
                && copies.map(best -> cost(settings, pools) < cost(settings, best))
                        .orElse(true);
    }

    private static double cost(PlanSettings settings, DeploymentCandidate candidate) {
        return price(settings).orElse(1.0) * candidate.devices();
    }

    boolean isPareto(DeploymentCandidate candidate) {
        return candidate.isFeasible() && isPareto(objectives(candidate));
    }

    boolean isPareto(PoolConfiguration configuration) {
        return configuration.meetsSlo() && isPareto(objectives(configuration));
    }

    private boolean isPareto(double[] objectives) {
        Stream<double[]> pools =
                poolConfigurations.stream().filter(PoolConfiguration::meetsSlo).map(this::objectives);
        List<double[]> others =
                Stream.concat(finalists().stream().map(this::objectives), pools).toList();
        return DeploymentResult.FRONT.dominator(objectives, others).isEmpty();
    }

    private double[] objectives(DeploymentCandidate candidate) {
        return candidate
                .confirmed()
                .orElseThrow()
                .result()
                .objectives(cost(settings, candidate)
                        / rate(candidate.confirmed().orElseThrow().result()));
    }

    private double[] objectives(PoolConfiguration configuration) {
        return configuration.result().objectives(cost(settings, configuration) / settings.load());
    }

    private static List<Slowdown> slowdowns(
            DeploymentCandidate winner, DeploymentSearch search, PublishedErrors errors, PlanSettings settings) {
        Optional<PublishedErrors.MetricErrors> tokens =
                errors.of(evidence(winner.deployment().shape(), settings), "tpot");
        List<Slowdown> slowdowns = new ArrayList<>();
        tokens.ifPresent(known -> {
            if (known.median() < 1) {
                slowdowns.add(
                        search.slowdown(winner, "half of the published runs were within", 1 / (1 - known.median())));
            }
            if (known.p90() < 1) {
                slowdowns.add(search.slowdown(winner, "nine of ten were within", 1 / (1 - known.p90())));
            }
        });
        return slowdowns;
    }

    /**
     * Returns the published errors of a shape; empty if too few were measured.
     *
     * @param metric ttft, tpot or e2e
     */
    Optional<PublishedErrors.MetricErrors> errors(EngineChoice.Shape shape, String metric) {
        return errors.of(evidence(shape, settings), metric);
    }

    private static EvidenceQuery evidence(EngineChoice.Shape shape, PlanSettings settings) {
        return EvidenceQuery.of(shape, settings.model(), settings.hardware());
    }

    /** Returns the command that simulates a part of the answer: all copies with the load, or an engine of a pool. */
    String simulation(Recommendation best, Recommendation.Part part) {
        HardwareCard device = settings.search()
                .pooling()
                .outputHardware()
                .filter(card -> part.role() == EngineLaunch.Role.DECODE)
                .orElse(settings.hardware());
        String load = part.role() == EngineLaunch.Role.WHOLE
                ? " replicas=" + part.copies() + " " + (settings.closedLoop().isPresent() ? "concurrency=" : "rate=")
                        + Numbers.plain(best.result().load()) + settings.lengthArguments()
                : "";
        return "./stage vidur_sim model=" + settings.model().name() + " hardware=" + device.name() + " "
                + part.deployment().arguments() + load;
    }

    /** Returns the median published error of the first metric of the SLO that has one, or of another metric. */
    String confidence(EngineChoice.Shape shape) {
        List<String> metrics = Stream.of("tpot", "ttft", "e2e")
                .filter(kind ->
                        slo.bounds().stream().anyMatch(bound -> bound.kind().equals(kind)))
                .toList();
        return evidence(shape, settings).confidence(errors, metrics);
    }

    Optional<DeploymentCandidate> winner() {
        return DeploymentSearch.winner(ranked);
    }

    /** Returns the feasible deployments, cheapest first. */
    List<DeploymentCandidate> finalists() {
        return ranked.stream().filter(DeploymentCandidate::isFeasible).toList();
    }

    /** Returns the command lines and the manifests of the answer, by file name. */
    Map<String, String> files() {
        return arePoolsCheaper() ? poolFiles() : copyFiles();
    }

    /** Returns the files of copies if pools are the answer, otherwise the files of feasible pools, by file name. */
    Map<String, String> alternativeFiles() {
        return arePoolsCheaper()
                ? copyFiles()
                : bestPools().flatMap(PoolConfiguration::outputs).isPresent() ? poolFiles() : Map.of();
    }

    /** Returns the name of the directory with the files of the alternative. */
    String alternative() {
        boolean arePools = bestPools().flatMap(PoolConfiguration::outputs).isPresent();
        return !arePoolsCheaper() ? "with_pools" : arePools ? "without_pools" : "with_round_robin";
    }

    private Map<String, String> copyFiles() {
        return winner().map(
                        best -> new EngineFiles(settings, best.deployment(), best.replicas(), requests.longest()).all())
                .orElse(Map.of());
    }

    private Map<String, String> poolFiles() {
        PoolConfiguration best = bestPools().orElseThrow();
        EngineFiles prompts = files(best.prompts());
        return best.outputs()
                .map(outputs -> EngineFiles.ofPools(prompts, files(outputs)))
                .orElseGet(() -> prompts.behind(best.routerId()).all());
    }

    private EngineFiles files(Pool pool) {
        return new EngineFiles(
                settings.on(pool.replica().hardware()), pool.deployment(), pool.copies(), requests.longest());
    }

    /** Price of a device in USD/h; empty if unknown. */
    Optional<Double> price() {
        return price(settings);
    }

    private static Optional<Double> price(PlanSettings settings) {
        return settings.priceUsdHr().or(() -> settings.hardware().costs().priceUsdHrTyp());
    }

    Optional<Double> usdPerMonth(int devices) {
        return price().map(price -> price * devices * HOURS_PER_MONTH);
    }

    /** Returns the price of a million output tokens at a load. */
    Optional<Double> usdPerMtok(int devices, double load) {
        return usdPerMonth(devices).map(usd -> perMtok(usd, load));
    }

    /** Returns the price of a million output tokens for a price per month. */
    double perMtok(double usdPerMonth, double load) {
        return usdPerMonth / HOURS_PER_MONTH / (load * requests.output() * SECONDS_PER_HOUR) * MILLION;
    }

    /** Returns the requests per second of a simulation: its load, or the throughput of a closed loop. */
    double rate(DeploymentResult result) {
        return result.rate(settings.closedLoop().isPresent());
    }

    private Optional<String> dominantExchange(DeploymentCandidate best) {
        SteadyStateModel steady = new SteadyStateModel(best.replica().orElseThrow(), requests, best.deployment());
        return steady.at(settings.load() / best.replicas())
                .or(() -> best.estimate().map(DeploymentCandidate.SizeEstimate::state))
                .flatMap(steady::dominantExchange);
    }

    /** Returns the output tokens per second of a device at a load in requests per second. */
    double tokensPerDevice(double load, int devices) {
        return load * requests.output() / devices;
    }

    /** Returns the metrics of the answer: pools if they cost less than copies, otherwise the best deployment. */
    Map<String, Double> headlines() {
        Map<String, Double> metrics = new LinkedHashMap<>();
        answer.ifPresent(best -> answer(metrics, best));
        if (arePoolsCheaper()) {
            winner().ifPresent(winner -> metrics.put("devices_without_pools", (double) winner.devices()));
        } else {
            winner().ifPresent(winner -> metrics.put("replicas", (double) winner.replicas()));
            bestPools().ifPresent(best -> metrics.put("devices_with_pools", (double) best.devices()));
        }
        metrics.put("seeds", (double) requests.seeds());
        metrics.put("simulations", (double) simulations.seedRuns());
        return metrics;
    }

    private void answer(Map<String, Double> metrics, Recommendation best) {
        DeploymentResult result = best.result();
        metrics.put("devices", (double) best.devices());
        if (isCheapest() || GoalSearch.searchesLoad(settings)) {
            metrics.put("max_load", best.maxLoad());
            metrics.put("load_headroom_pct", PERCENT * best.headroom(settings.load()));
        }
        usdPerMonth(best).ifPresent(usd -> {
            metrics.put("usd_per_month", usd);
            metrics.put("usd_per_mtok", perMtok(usd, rate(result)));
        });
        metrics.put("tokens_s_device", tokensPerDevice(rate(result), best.devices()));
        metrics.put("slo_margin_pct", PERCENT * slo.margin(result.metrics()));
        Stream.of("ttft_p99_ms", "tpot_p99_ms", "e2e_p99_ms")
                .filter(result.metrics()::containsKey)
                .forEach(name -> metrics.put(name, result.metrics().get(name)));
    }

    /** Explains that no deployment meets the SLO, and why the nearest one fails. */
    String nothing() {
        Optional<DeploymentCandidate> invalid =
                ranked.stream().filter(c -> c.status() == Status.UNSUPPORTED).findFirst();
        if (invalid.isPresent() && ranked.stream().allMatch(c -> c.status() == Status.UNSUPPORTED)) {
            return "no candidate is possible: "
                    + invalid.get().deployment().shape().words() + ": "
                    + invalid.get().reason();
        }
        String devices = isCheapest()
                ? settings.hardware().name()
                : ConditionText.devices(settings.deviceCount(), settings.hardware());
        String load = "the SLO at " + (GoalSearch.searchesLoad(settings) ? "any load" : settings.loadWords());
        return (isCut
                        ? "none of the simulated deployments on " + devices + " meets " + load + unsimulated()
                        : "no deployment on " + devices + " meets " + load)
                + nearest()
                        .map(c -> "; the nearest candidate, "
                                + c.deployment().shape().engine() + " with "
                                + c.deployment().shape().words() + ": " + c.reason())
                        .orElse("");
    }

    private String unsimulated() {
        long count =
                ranked.stream().filter(c -> c.status() == Status.NOT_SIMULATED).count();
        int max = settings.search().simulations();
        return ", in " + Count.of(simulations.count(), "simulation") + "; " + Count.of(count, "candidate")
                + (count == 1 ? " was" : " were") + " not simulated: set search.simulations=" + 4L * max;
    }

    /** Returns the simulated deployment closest to the SLO if none meets it. */
    Optional<DeploymentCandidate> nearest() {
        return ranked.stream()
                .filter(c -> c.confirmed().isPresent())
                .min(Comparator.comparingDouble(this::violation))
                .or(() -> ranked.stream()
                        .filter(c -> c.status() == Status.SLO_MISSED)
                        .min(Comparator.comparingDouble(this::unloadedRatio)))
                .or(() -> ranked.stream()
                        .filter(c -> c.status() == Status.OUT_OF_MEMORY)
                        .max(Comparator.comparingInt(c -> c.deployment().shape().devices())));
    }

    /** Returns the maximum ratio of a metric of a single request to its limit. */
    private double unloadedRatio(DeploymentCandidate candidate) {
        SteadyStateModel steady =
                new SteadyStateModel(candidate.replica().orElseThrow(), requests, candidate.deployment());
        double rate = settings.load() / settings.search().maxReplicas();
        double tpot = steady.at(rate).map(SteadyStateModel.State::tpotMs).orElse(Double.POSITIVE_INFINITY);
        return Math.max(steady.promptMs(0) / slo.limit("ttft"), tpot / slo.limit("tpot"));
    }

    /** Returns the maximum ratio of a simulated metric to its limit. */
    private double violation(DeploymentCandidate candidate) {
        DeploymentResult result = candidate.confirmed().orElseThrow().result();
        return slo.bounds().stream()
                .mapToDouble(bound -> result.value(bound) / bound.limit())
                .max()
                .orElse(0);
    }

    private double loadHeadroom(Recommendation best) {
        return best.headroom(settings.load());
    }

    private double margin(Recommendation best) {
        return slo.margin(best.result().metrics());
    }

    /** True if the goal is the lowest cost. */
    boolean isCheapest() {
        return settings.goal() == PlanGoal.CHEAPEST;
    }

    /** True if the answer has almost no headroom. */
    boolean isThin() {
        return answer.filter(best -> (isCheapest() && loadHeadroom(best) < NO_HEADROOM)
                        || (settings.goal() != PlanGoal.THROUGHPUT && margin(best) < NO_MARGIN))
                .isPresent();
    }

    /** True if disaggregated pools were not searched, and a mixture of experts is on several nodes. */
    private boolean maySavePools(Recommendation best) {
        HardwareCard hardware = settings.hardware();
        return isCheapest()
                && !settings.search().pooling().pools()
                && settings.closedLoop().isEmpty()
                && settings.model().isMixtureOfExperts()
                && hardware.host().nicGbpsPerAccelTyp().isPresent()
                && settings.candidates().keySet().stream().anyMatch(PoolSearch::canPool)
                && best.devices() > new Links(hardware).devicesPerNode();
    }

    /** Returns a warning if scaled arrivals changed the times between the turns of sessions. */
    private Optional<String> scaledTurns() {
        double scale = settings.load() / requests.originalRate();
        return !PlanStage.hasTurns(settings) || (scale <= MAX_SCALE && scale >= 1 / MAX_SCALE)
                ? Optional.empty()
                : Optional.of(
                        "the arrivals were scaled from " + Numbers.significant(requests.originalRate(), 3) + " to "
                                + Numbers.significant(settings.load(), 3)
                                + " requests/s, and the times between turns with them: "
                                + (settings.goal() == PlanGoal.THROUGHPUT
                                        ? "set arrival.qps near the load of the answer"
                                        : "raise requests, so that more sessions overlap"));
    }

    List<String> warnings() {
        List<String> warnings = requestWarnings();
        answer.filter(this::maySavePools)
                .ifPresent(best -> warnings.add("a mixture of experts on " + best.devices()
                        + " devices may need fewer of them with prefill/decode disaggregation: search.pools=true"
                        + " compares it"));
        scaledTurns().ifPresent(warnings::add);
        answer.ifPresent(best -> warnings.addAll(new MemoryFit(best.replica()).warnings()));
        winner().filter(best -> !arePoolsCheaper())
                .flatMap(this::dominantExchange)
                .ifPresent(warnings::add);
        if (price().isEmpty()) {
            warnings.add("the card of " + settings.hardware().name()
                    + " has no price: deployments are ranked by devices; set price_usd_hr");
        }
        answer.filter(best ->
                        isCheapest() && !best.result().isQueued() && (loadHeadroom(best) < LOW_HEADROOM || isThin()))
                .ifPresent(best ->
                        warnings.add("the cheapest deployment has " + Numbers.fixed(PERCENT * loadHeadroom(best), 0)
                                + " % of headroom in load and " + Numbers.fixed(PERCENT * margin(best), 0)
                                + " % in the SLO: one more copy is safer"));
        answer.map(best -> best.shape().drafting())
                .filter(drafts -> drafts.tokens() > 0 && drafts.acceptance().isEmpty())
                .ifPresent(drafts -> warnings.add("the best deployment assumes the published acceptance of "
                        + drafts.method() + " drafts, which depends on the workload: measure it and set"
                        + " search.draft_acceptance, or exclude drafts with search.draft_tokens=[0]"));
        if (isCut && answer.isPresent()) {
            warnings.add("deployments that may be " + (isCheapest() ? "cheaper" : "better")
                    + " were not simulated; set search.simulations="
                    + 4L * settings.search().simulations());
        }
        return warnings;
    }

    private List<String> requestWarnings() {
        List<String> warnings = new ArrayList<>();
        if (requests.size() < MIN_REQUESTS) {
            warnings.add(requests.size() + " requests are too few for a reliable P99; use at least " + MIN_REQUESTS);
        }
        int drawn = PlanStage.roles(settings).size();
        if (requests.drawn() < drawn) {
            warnings.add((drawn - requests.drawn()) + " of " + drawn + " seeds drew requests beyond the context of "
                    + settings.model().maxPosition()
                    + " tokens: they were replaced by the requests of the first seed in another order;"
                    + " workload.max_tokens=" + settings.model().maxPosition() + " caps requests");
        }
        if (requests.haveEqualLengths() && requests.prompt() >= 2 && isCheapest() && answer.isPresent()) {
            warnings.add("all requests have the same lengths: real loads with spread need more devices; set for example"
                    + " prompt_tokens=" + Math.round(requests.prompt() / 2) + ".."
                    + Math.round(requests.prompt() * 3 / 2));
        }
        return warnings;
    }
}
