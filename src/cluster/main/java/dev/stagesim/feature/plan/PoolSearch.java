package dev.stagesim.feature.plan;

import dev.stagesim.feature.plan.SimulationCache.DeploymentResult;
import dev.stagesim.feature.plan.Slo.SloBound;
import dev.stagesim.model.StageException;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.serving.EngineChoice;
import dev.stagesim.serving.EngineChoice.ExpertLayout;
import dev.stagesim.serving.EngineChoice.Shape;
import dev.stagesim.serving.EngineSchedulers;
import dev.stagesim.serving.PoolSimulator;
import dev.stagesim.serving.PoolSimulator.Pool;
import dev.stagesim.serving.PoolSimulator.Router;
import dev.stagesim.serving.ReplicaModel;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongConsumer;
import java.util.stream.Stream;

/**
 * Finds the smallest prefill and decode pools that meet the SLO, and the minimum number of copies for each router, for the best
 * shapes of the search. Rates give the starting sizes, simulations decide.
 */
final class PoolSearch {
    /** Maximum number of shapes for each of prefill and decode. */
    private static final int MAX_SHAPES = 3;

    private static final int MAX_BASES = 2;

    /** Target utilisation of a prefill pool, low enough to prevent queueing. */
    private static final double PREFILL_UTILISATION = 0.7;

    private static final double DECODE_UTILISATION = 0.9;

    /** Maximum number of devices of pools, relative to the best copies. */
    private static final int MAX_DEVICE_RATIO = 2;

    private final PlanSettings settings;
    private final RequestSamples requests;
    private final Slo slo;
    private final SimulationCache simulations;
    private final LongConsumer progress;
    private final PoolSimulator simulator;
    private final List<PoolConfiguration> configurations = new ArrayList<>();
    private int count;

    PoolSearch(
            PlanSettings settings,
            RequestSamples requests,
            Slo slo,
            SimulationCache simulations,
            PoolSimulator simulator,
            LongConsumer progress) {
        this.settings = settings;
        this.requests = requests;
        this.slo = slo;
        this.simulations = simulations;
        this.simulator = simulator;
        this.progress = progress;
    }

    /** Returns the smallest configuration of each kind that meets the SLO, or the last one tried; in search order. */
    List<PoolConfiguration> run(List<DeploymentCandidate> ranked) {
        List<DeploymentCandidate> bases = bases(ranked);
        for (DeploymentCandidate base : bases) {
            routers().stream().filter(one -> one != Router.ROUND_ROBIN).forEach(router -> copies(base, router));
        }
        int max = MAX_DEVICE_RATIO
                * DeploymentSearch.winner(ranked)
                        .map(DeploymentCandidate::devices)
                        .orElse(settings.search().maxReplicas());
        if (settings.search().pooling().pools()) {
            pairs(ranked).forEach(pair -> routers(routers())
                    .forEach(router -> pools(pair.prompts(), pair.outputs(), router, max)));
        }
        return configurations;
    }

    /** Simulates a feasible configuration at higher loads, up to the first one that violates the SLO. */
    PoolConfiguration atHigherLoads(PoolConfiguration best) {
        List<DeploymentResult> loads = new ArrayList<>(best.loads());
        DeploymentSearch.searchLoads(factor -> {
            progress.accept(++count);
            double load = factor * settings.load();
            loads.add(simulations.of(simulator, best.prompts(), best.outputs(), best.router(), load));
            return loads.get(loads.size() - 1).meetsSlo();
        });
        loads.sort(Comparator.comparingDouble(DeploymentResult::load));
        return new PoolConfiguration(best.prompts(), best.outputs(), best.router(), best.result(), List.copyOf(loads));
    }

    /** A prefill pool and a decode pool of the predicted sizes. */
    private record PoolPair(Pool prompts, Pool outputs) {
        int devices() {
            return prompts.devices() + outputs.devices();
        }
    }

    /**
     * Returns pairs of the shapes that need the fewest devices for prefill and for decode, by their rates. A shape that
     * misses the SLO as a whole can still be the best one for its part.
     */
    private List<PoolPair> pairs(List<DeploymentCandidate> ranked) {
        Map<Shape, DeploymentCandidate> shapes = new LinkedHashMap<>();
        ranked.stream()
                .filter(c ->
                        c.replica().isPresent() && isPoolShape(c.deployment().shape()))
                .forEach(c -> shapes.merge(
                        c.deployment().shape(),
                        c,
                        (one, other) -> one.isFeasible()
                                        || one.deployment().maxNumSeqs()
                                                >= other.deployment().maxNumSeqs()
                                ? one
                                : other));
        List<PoolPair> pairs = new ArrayList<>();
        for (Pool first : smallest(shapes.values().stream().map(this::prompts))) {
            for (Pool second :
                    smallest(shapes.values().stream().map(this::outputs).flatMap(Optional::stream))) {
                if (canTransfer(first.deployment().shape(), second.deployment().shape())) {
                    pairs.add(new PoolPair(first, second));
                }
            }
        }
        pairs.sort(Comparator.comparingInt(PoolPair::devices));
        return pairs;
    }

    /**
     * Engines exchange KV caches with engines of the same kind that store them in the same precision. The cache contains the
     * layers that make drafts.
     */
    private static boolean canTransfer(Shape prefill, Shape decode) {
        return prefill.engine().equals(decode.engine())
                && prefill.kv() == decode.kv()
                && prefill.drafting().equals(decode.drafting());
    }

    /** Returns the pools of the fewest devices of each engine, with and without drafts. */
    private static List<Pool> smallest(Stream<Pool> pools) {
        Map<List<Object>, Integer> counts = new HashMap<>();
        return pools.sorted(Comparator.comparingInt(Pool::devices)
                        .thenComparingInt(pool -> pool.deployment().shape().devices()))
                .filter(pool -> counts.merge(kind(pool.deployment().shape()), 1, Integer::sum) <= MAX_SHAPES)
                .toList();
    }

    private static List<Object> kind(Shape shape) {
        return List.of(shape.engine(), shape.drafting());
    }

    /** Returns true if pools of a shape can be simulated: engines share experts only if each is on one device. */
    private static boolean isPoolShape(Shape shape) {
        ExpertLayout layout = shape.layout();
        boolean isShared = layout.isExpertParallel() && layout.prefillInterval() == 1;
        return canPool(shape.engine()) && (layout.equals(ExpertLayout.NONE) || isShared);
    }

    /** Returns true if pools of this engine can be simulated. */
    static boolean canPool(String engine) {
        return !(EngineSchedulers.of(engine) instanceof SchedulerSettings.OfVidur);
    }

    private List<Router> routers() {
        return settings.search().pooling().routers();
    }

    private static List<Router> routers(List<Router> given) {
        return given.isEmpty() ? List.of(Router.LEAST_OUTSTANDING) : given;
    }

    /** Returns the best deployments with different engines, parallelism or weights, and one precision of the KV cache. */
    private static List<DeploymentCandidate> bases(List<DeploymentCandidate> ranked) {
        List<DeploymentCandidate> bases = new ArrayList<>();
        for (DeploymentCandidate candidate : ranked) {
            Shape shape = candidate.deployment().shape();
            boolean mayRun =
                    candidate.replica().isPresent() && candidate.estimate().isPresent();
            boolean isNew = bases.stream()
                    .map(base -> base.deployment().shape())
                    .noneMatch(base -> base.kv() != shape.kv()
                            || (base.engine().equals(shape.engine())
                                    && base.devices() == shape.devices()
                                    && base.weights() == shape.weights()));
            if (mayRun && isNew && isPoolShape(shape) && bases.size() < MAX_BASES) {
                bases.add(candidate);
            }
        }
        return bases;
    }

    private boolean isBudgetSpent() {
        return count >= settings.search().pooling().poolSimulations();
    }

    private DeploymentResult result(Pool prompts, Optional<Pool> outputs, Router router) {
        progress.accept(++count);
        return simulations.of(simulator, prompts, outputs, router, settings.load());
    }

    private static Pool with(Pool pool, int copies) {
        return new Pool(copies, pool.replica(), pool.deployment());
    }

    /** Finds the minimum number of copies that meets the SLO with a router. */
    private void copies(DeploymentCandidate base, Router router) {
        if (!base.isFeasible() || base.replicas() < 2 || isBudgetSpent()) {
            return;
        }
        Pool pool = new Pool(base.replicas(), base.replica().orElseThrow(), base.deployment());
        PoolConfiguration last =
                new PoolConfiguration(pool, Optional.empty(), router, result(pool, Optional.empty(), router));
        while (last.meetsSlo() && last.prompts().copies() > 1 && !isBudgetSpent()) {
            Pool fewer = with(pool, last.prompts().copies() - 1);
            PoolConfiguration next =
                    new PoolConfiguration(fewer, Optional.empty(), router, result(fewer, Optional.empty(), router));
            if (!next.meetsSlo()) {
                break;
            }
            last = next;
        }
        configurations.add(last);
    }

    /** Uses the largest token budget for the prefill pool, if memory permits. */
    private Pool prompts(DeploymentCandidate base) {
        EngineChoice choice = base.deployment();
        int tokens = Collections.max(settings.search().maxNumBatchedTokens());
        EngineChoice wide =
                new EngineChoice(choice.shape(), choice.maxNumSeqs(), Math.max(tokens, choice.maxNumBatchedTokens()));
        try {
            return pool(wide);
        } catch (StageException noRoom) {
            return pool(choice);
        }
    }

    private Pool pool(EngineChoice deployment) {
        ReplicaModel replica = deployment.prefillReplica(
                settings.model(), settings.hardware(), settings.memoryUtilization(), requests.longest());
        double rate = new SteadyStateModel(replica, requests, deployment).promptsPerS();
        return new Pool(copies(PREFILL_UTILISATION * rate), replica, deployment);
    }

    /**
     * Returns the number of copies that serve the load at a rate per copy in requests/s, at most {@code
     * search.max_replicas}.
     */
    private int copies(double rate) {
        return (int) Math.min(settings.search().maxReplicas(), Math.ceil(settings.load() / rate));
    }

    /** Returns the decode pool; empty if the model cannot run on its devices. */
    private Optional<Pool> outputs(DeploymentCandidate base) {
        EngineChoice choice = base.deployment();
        Optional<HardwareCard> other = settings.search().pooling().outputHardware();
        ReplicaModel replica = base.replica().orElseThrow();
        if (other.isPresent()) {
            HardwareCard hardware = other.get();
            if (choice.shape().whyInfeasible(settings.model(), hardware).isPresent()) {
                return Optional.empty();
            }
            replica = choice.replica(settings.model(), hardware, settings.memoryUtilization(), requests.longest());
        }
        try {
            double rate = new SteadyStateModel(replica, requests, choice).outputsPerS(slo.limit("tpot"));
            return Optional.of(new Pool(copies(DECODE_UTILISATION * rate), replica, choice));
        } catch (StageException noRoom) {
            return Optional.empty();
        }
    }

    /**
     * Starts from the rates, adds copies to the pool that causes a violation until the SLO is met, then removes copies
     * from each pool.
     */
    private void pools(Pool prompts, Pool outputs, Router router, int max) {
        if (isBudgetSpent() || prompts.devices() + outputs.devices() > max) {
            return;
        }
        PoolConfiguration current = new PoolConfiguration(
                prompts, Optional.of(outputs), router, result(prompts, Optional.of(outputs), router));
        boolean isFutile = false;
        while (!current.meetsSlo() && !isFutile && !isBudgetSpent()) {
            PoolConfiguration next = more(current);
            if (next.devices() > max) {
                break;
            }
            DeploymentResult result = result(next.prompts(), next.outputs(), router);
            isFutile = result.isFutile(current.result(), slo);
            current = new PoolConfiguration(next.prompts(), next.outputs(), router, result);
        }
        configurations.add(current.meetsSlo() ? fewer(current) : current);
    }

    private PoolConfiguration more(PoolConfiguration current) {
        List<SloBound> broken = slo.violated(current.result().metrics());
        boolean addsPrompts = broken.stream().anyMatch(bound -> !bound.kind().equals("tpot"));
        boolean addsOutputs = broken.stream().anyMatch(bound -> !bound.kind().equals("ttft"));
        Pool outputs = current.outputs().orElseThrow();
        return new PoolConfiguration(
                addsPrompts ? with(current.prompts(), increased(current.prompts())) : current.prompts(),
                Optional.of(addsOutputs ? with(outputs, increased(outputs)) : outputs),
                current.router(),
                current.result());
    }

    private static int increased(Pool pool) {
        return pool.copies() + Math.max(1, pool.copies() / 8);
    }

    private PoolConfiguration fewer(PoolConfiguration from) {
        PoolConfiguration current = from;
        for (boolean addsPrompts : new boolean[] {true, false}) {
            boolean meetsSlo = true;
            while (meetsSlo && !isBudgetSpent()) {
                Pool prompts = current.prompts();
                Pool outputs = current.outputs().orElseThrow();
                if ((addsPrompts ? prompts : outputs).copies() == 1) {
                    break;
                }
                Pool first = addsPrompts ? with(prompts, prompts.copies() - 1) : prompts;
                Optional<Pool> second = Optional.of(addsPrompts ? outputs : with(outputs, outputs.copies() - 1));
                DeploymentResult result = result(first, second, current.router());
                meetsSlo = result.meetsSlo();
                current = meetsSlo ? new PoolConfiguration(first, second, current.router(), result) : current;
            }
        }
        return current;
    }
}
