package dev.stagesim.feature.plan;

import dev.stagesim.feature.PoolSimulator;
import dev.stagesim.feature.PoolSimulator.Pool;
import dev.stagesim.feature.plan.DeploymentCandidate.ConfirmedSize;
import dev.stagesim.feature.plan.DeploymentCandidate.Status;
import dev.stagesim.feature.plan.SimulationCache.DeploymentResult;
import dev.stagesim.model.Feature;
import dev.stagesim.model.HardwareCard;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.report.Numbers;
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

/**
 * What was found.
 *
 * @param ranked all deployments, best first
 * @param candidateCount how many there were
 * @param slowdowns what the winner needs when steps take longer
 * @param poolConfigurations pools and routers that were simulated, those that hold first, cheapest first
 * @param isCut whether the limit of simulations left deployments out that may be cheaper
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
        boolean isCut) {
    /**
     * What the winner needs when steps take longer than predicted.
     *
     * @param slowdown how many times as long
     * @param replicas copies that hold then; 0 where none do
     */
    record Slowdown(String when, double slowdown, int replicas) {}

    static final int HOURS_PER_MONTH = 730;
    private static final double SECONDS_PER_TOKEN = 6e-7;
    private static final double BASE_BYTES = 26 << 20;
    private static final double SECONDS_PER_HOUR = 3600;
    private static final double MILLION = 1e6;
    private static final double TIGHT = 0.1;

    /** Headroom below which a plan is not recommended without reserve: the load search is as coarse as that. */
    private static final double NO_HEADROOM = 0.05;

    private static final double NO_MARGIN = 0.01;
    private static final double PERCENT = 100;
    private static final int FEW = 1000;

    /** Told how many simulations of how many there were. */
    @FunctionalInterface
    interface Progress {
        void at(String what, long count, long most);
    }

    static ServingPlan of(
            PlanSettings settings, RequestSamples requests, Path home, Consumer<Estimate> expected, Progress progress)
            throws IOException {
        refuseLong(settings, requests);
        Slo slo = Slo.parse(settings.slo());
        SimulationCache simulations = new SimulationCache(requests, slo);
        List<List<DeploymentCandidate>> shapes = new Estimator(settings, requests, slo).all();
        expected.accept(expected(settings, requests, shapes));
        int candidateCount = shapes.stream().mapToInt(List::size).sum();
        DeploymentSearch search = new DeploymentSearch(
                settings,
                slo,
                simulations,
                count -> progress.at("simulations", count, settings.search().simulations()));
        List<DeploymentCandidate> ranked = search.run(shapes);
        PublishedErrors errors = PublishedErrors.read(home);
        List<Slowdown> slowdowns = DeploymentSearch.winner(ranked)
                .map(winner -> slowdown(winner, search, errors, settings))
                .orElse(List.of());
        List<PoolConfiguration> poolConfigurations =
                searchPools(settings, requests, slo, simulations, ranked, progress);
        return new ServingPlan(
                settings,
                requests,
                slo,
                simulations,
                ranked,
                candidateCount,
                errors,
                slowdowns,
                poolConfigurations,
                search.isCut());
    }

    /** The deployment that should do best by the steady state, which is not simulated; none where none should do. */
    static ServingPlan estimated(PlanSettings settings, RequestSamples requests, Path home) throws IOException {
        refuseLong(settings, requests);
        Slo slo = Slo.parse(settings.slo());
        List<List<DeploymentCandidate>> shapes = new Estimator(settings, requests, slo).all();
        List<DeploymentCandidate> best =
                DeploymentSearch.promising(shapes, settings.load()).stream().toList();
        return new ServingPlan(
                settings,
                requests,
                slo,
                new SimulationCache(requests, slo),
                best,
                shapes.stream().mapToInt(List::size).sum(),
                PublishedErrors.read(home),
                List.of(),
                List.of(),
                false);
    }

    private static void refuseLong(PlanSettings settings, RequestSamples requests) {
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

    /** All simulations that are allowed, and the greatest of them in memory. */
    private static Estimate expected(
            PlanSettings settings, RequestSamples requests, List<List<DeploymentCandidate>> shapes) {
        PlanSettings.Search search = settings.search();
        double runs = search.simulations() + (search.hasPools() ? search.poolSimulations() : 0);
        double tokens = runs * requests.size() * requests.output();
        double memory = shapes.stream()
                .flatMap(List::stream)
                .mapToDouble(ServingPlan::simulatedBytes)
                .max()
                .orElse(0);
        return new Estimate(tokens, "tokens", tokens * SECONDS_PER_TOKEN, BASE_BYTES + memory, 0);
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
        LongConsumer pools =
                count -> progress.at("pools", count, settings.search().poolSimulations());
        List<PoolConfiguration> all =
                new ArrayList<>(new PoolSearch(settings, requests, slo, simulations, simulator, pools).run(ranked));
        all.sort(Comparator.comparing((PoolConfiguration one) -> !one.meetsSlo())
                .thenComparingDouble(one -> cost(settings, one))
                .thenComparingDouble(one -> one.result().figures().getOrDefault("ttft_p99_ms", 0.0)));
        return all;
    }

    /** Of an hour, in USD; in devices where the price of those for prompts is not known, as with copies. */
    private static double cost(PlanSettings settings, PoolConfiguration one) {
        return usdPerHour(settings, one).orElse((double) one.devices());
    }

    private static Optional<Double> usdPerHour(PlanSettings settings, PoolConfiguration one) {
        Optional<Double> first =
                settings.priceUsdHr().or(() -> settings.hardware().priceUsdHrTyp());
        Optional<Double> later = settings.search()
                .outputHardware()
                .map(HardwareCard::priceUsdHrTyp)
                .orElse(first);
        int outputs = one.outputs().map(Pool::devices).orElse(0);
        return first.flatMap(price -> later.map(other -> price * (one.devices() - outputs) + other * outputs));
    }

    Optional<Double> usdPerMonth(PoolConfiguration one) {
        return usdPerHour(settings, one).map(price -> price * HOURS_PER_MONTH);
    }

    /** The cheapest pools that hold, where there are any. */
    Optional<PoolConfiguration> bestPools() {
        return poolConfigurations.stream().filter(PoolConfiguration::meetsSlo).findFirst();
    }

    /** Whether pools cost less than copies behind a round robin. */
    boolean arePoolsCheaper() {
        return bestPools()
                .filter(best -> winner().map(copies -> cost(settings, best) < cost(copies))
                        .orElse(true))
                .isPresent();
    }

    private double cost(DeploymentCandidate candidate) {
        return price().orElse(1.0) * candidate.devices();
    }

    boolean isPareto(DeploymentCandidate candidate) {
        return candidate.isFeasible()
                && isPareto(Pareto.offer(
                        cost(candidate), candidate.confirmed().orElseThrow().result()));
    }

    boolean isPareto(PoolConfiguration one) {
        return one.meetsSlo() && isPareto(Pareto.offer(cost(settings, one), one.result()));
    }

    private boolean isPareto(double[] own) {
        List<double[]> others = new ArrayList<>();
        finalists()
                .forEach(c -> others.add(
                        Pareto.offer(cost(c), c.confirmed().orElseThrow().result())));
        poolConfigurations.stream()
                .filter(PoolConfiguration::meetsSlo)
                .forEach(one -> others.add(Pareto.offer(cost(settings, one), one.result())));
        return Pareto.isOn(own, others);
    }

    private static List<Slowdown> slowdown(
            DeploymentCandidate winner, DeploymentSearch search, PublishedErrors errors, PlanSettings settings) {
        Optional<PublishedErrors.MetricErrors> tokens =
                errors.of(winner.deployment().shape(), settings.model(), settings.hardware(), "tpot");
        List<Slowdown> slowdowns = new ArrayList<>();
        tokens.ifPresent(known -> {
            if (known.median() < 1) {
                slowdowns.add(
                        search.slowdown(winner, "half of the published runs were within", 1 / (1 - known.median())));
            }
            if (known.most() < 1) {
                slowdowns.add(search.slowdown(winner, "nine of ten were within", 1 / (1 - known.most())));
            }
        });
        return slowdowns;
    }

    Optional<DeploymentCandidate> winner() {
        return DeploymentSearch.winner(ranked);
    }

    /** Confirmed deployments, cheapest first. */
    List<DeploymentCandidate> finalists() {
        return ranked.stream().filter(DeploymentCandidate::isFeasible).toList();
    }

    /** Command line and manifest of the winner, by name. */
    Map<String, String> files() {
        Map<String, String> files = new LinkedHashMap<>();
        winner().ifPresent(best ->
                files.putAll(new EngineFiles(settings, best.deployment(), best.replicas(), requests.longest()).all()));
        bestPools().filter(best -> best.outputs().isPresent()).ifPresent(best -> {
            files.put("prompts.sh", script(best.prompts(), true));
            files.put("outputs.sh", script(best.outputs().get(), false));
        });
        return files;
    }

    private String script(Pool pool, boolean isPrefill) {
        return new EngineFiles(
                        settings.on(pool.replica().hardware()), pool.deployment(), pool.copies(), requests.longest())
                .handsOver(isPrefill);
    }

    /** Price of a device and hour, where one is known. */
    Optional<Double> price() {
        return settings.priceUsdHr().or(() -> settings.hardware().priceUsdHrTyp());
    }

    Optional<Double> usdPerMonth(int devices) {
        return price().map(price -> price * devices * HOURS_PER_MONTH);
    }

    /** Price of a million output tokens at a load. */
    Optional<Double> usdPerMtok(int devices, double load) {
        double perHour = load * requests.output() * SECONDS_PER_HOUR;
        return price().map(price -> price * devices / perHour * MILLION);
    }

    Map<String, Double> headlines() {
        Map<String, Double> figures = new LinkedHashMap<>();
        winner().ifPresent(winner -> {
            ConfirmedSize confirmed = winner.confirmed().orElseThrow();
            figures.put("replicas", (double) winner.replicas());
            figures.put("devices", (double) winner.devices());
            usdPerMonth(winner.devices()).ifPresent(usd -> figures.put("usd_per_month", usd));
            usdPerMtok(winner.devices(), settings.load()).ifPresent(usd -> figures.put("usd_per_mtok", usd));
            figures.put("max_load", confirmed.maxLoad());
            figures.put("load_headroom_pct", PERCENT * confirmed.headroom(settings.load()));
            figures.put(
                    "slo_margin_pct", PERCENT * slo.margin(confirmed.result().figures()));
            for (String name : List.of("ttft_p99_ms", "tpot_p99_ms")) {
                figures.put(name, confirmed.result().figures().get(name));
            }
        });
        bestPools().ifPresent(best -> {
            figures.put("pools_devices", (double) best.devices());
            usdPerMonth(best).ifPresent(usd -> figures.put("pools_usd_per_month", usd));
        });
        figures.put("seeds", (double) requests.seeds());
        figures.put("simulations", (double) simulations.runs());
        return figures;
    }

    /** Why nothing holds. */
    String nothing() {
        String what = "no deployment on " + settings.hardware().name() + " satisfies it at "
                + Numbers.plain(settings.load()) + " requests/s";
        return what
                + nearest()
                        .map(c -> "; the nearest, " + c.deployment().shape().engine() + " with "
                                + c.deployment().shape().words() + ": " + c.reason())
                        .orElse("");
    }

    /** What was simulated and came nearest, where nothing holds. */
    Optional<DeploymentCandidate> nearest() {
        return ranked.stream()
                .filter(c -> c.confirmed().isPresent())
                .min(Comparator.comparingDouble(this::miss))
                .or(() -> ranked.stream()
                        .filter(c -> c.status() == Status.SLO_MISSED)
                        .min(Comparator.comparingDouble(this::alone)))
                .or(() -> ranked.stream()
                        .filter(c -> c.status() == Status.OUT_OF_MEMORY)
                        .max(Comparator.comparingInt(c -> c.deployment().shape().devices())));
    }

    /** Greatest share of a bound that a request alone takes. */
    private double alone(DeploymentCandidate candidate) {
        SteadyStateModel steady =
                new SteadyStateModel(candidate.replica().orElseThrow(), requests, candidate.deployment());
        double rate = settings.load() / settings.search().maxReplicas();
        double tpot = steady.at(rate).map(SteadyStateModel.State::tpotMs).orElse(Double.POSITIVE_INFINITY);
        return Math.max(steady.promptMs(0) / slo.least("ttft"), tpot / slo.least("tpot"));
    }

    /** Greatest share of a bound by which a deployment misses it. */
    private double miss(DeploymentCandidate candidate) {
        DeploymentResult result = candidate.confirmed().orElseThrow().result();
        return slo.bounds().stream()
                .mapToDouble(bound -> result.value(bound) / bound.most())
                .max()
                .orElse(0);
    }

    private double spare(DeploymentCandidate candidate) {
        return candidate.confirmed().orElseThrow().headroom(settings.load());
    }

    private double margin(DeploymentCandidate candidate) {
        return slo.margin(candidate.confirmed().orElseThrow().result().figures());
    }

    /** Whether the winner has about no headroom. */
    boolean isThin() {
        return winner().filter(best -> spare(best) < NO_HEADROOM || margin(best) < NO_MARGIN)
                .isPresent();
    }

    List<String> warnings() {
        List<String> warnings = new ArrayList<>();
        if (requests.size() < FEW) {
            warnings.add(requests.size() + " requests are few for a P99; " + FEW + " are better");
        }
        int drawn = PlanStage.roles(settings).size();
        if (requests.drawn() < drawn) {
            warnings.add((drawn - requests.drawn()) + " of " + drawn + " seeds drew requests beyond the context of "
                    + settings.model().maxPosition()
                    + " tokens: they were replaced by the requests of the first seed in another order;"
                    + " workload.max_tokens=" + settings.model().maxPosition() + " caps requests");
        }
        if (price().isEmpty()) {
            warnings.add("the card of " + settings.hardware().name()
                    + " has no price: deployments are ranked by devices; set price_usd_hr");
        }
        winner().filter(best -> spare(best) < TIGHT || isThin())
                .ifPresent(best -> warnings.add("the cheapest deployment has " + Numbers.fixed(PERCENT * spare(best), 0)
                        + " % of headroom in load and " + Numbers.fixed(PERCENT * margin(best), 0)
                        + " % in the service level: a copy more is safer"));
        if (isCut) {
            warnings.add("deployments that may be cheaper were not simulated; raise search.simulations");
        }
        return warnings;
    }
}
