package dev.stagesim.feature.plan;

import dev.stagesim.feature.EngineChoice;
import dev.stagesim.feature.EngineChoice.Kind;
import dev.stagesim.feature.EngineChoice.Shape;
import dev.stagesim.feature.PoolSimulator;
import dev.stagesim.feature.PoolSimulator.Pool;
import dev.stagesim.feature.PoolSimulator.Router;
import dev.stagesim.feature.plan.SimulationCache.DeploymentResult;
import dev.stagesim.feature.plan.Slo.SloBound;
import dev.stagesim.model.HardwareCard;
import dev.stagesim.model.StageException;
import dev.stagesim.serving.ReplicaModel;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;

/**
 * Finds the smallest pools that hold the service level, of the shapes that did best as copies: pools for prompts and outputs of
 * any ratio, and copies behind routers. Rates order them, simulations decide.
 */
final class PoolSearch {
    private static final int SHAPES = 2;

    /** Share of its rate that a pool for prompts may be used to, so that they do not queue; and one for outputs. */
    private static final double PROMPTS = 0.7;

    private static final double OUTPUTS = 0.9;

    /** Pools are not looked for with so many times the devices of the best copies. */
    private static final int MOST = 2;

    private final PlanSettings settings;
    private final RequestSamples requests;
    private final Slo slo;
    private final SimulationCache simulations;
    private final LongConsumer progress;
    private final PoolSimulator simulator;
    private final List<PoolConfiguration> found = new ArrayList<>();
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

    /** Simulations so far. */
    int count() {
        return count;
    }

    /** The least of each kind that holds, or what was tried last where none does; in the order of the search. */
    List<PoolConfiguration> run(List<DeploymentCandidate> ranked) {
        List<DeploymentCandidate> bases = bases(ranked);
        for (DeploymentCandidate base : bases) {
            routers().stream().filter(one -> one != Router.ROUND_ROBIN).forEach(router -> copies(base, router));
        }
        int most = MOST
                * DeploymentSearch.winner(ranked)
                        .map(DeploymentCandidate::devices)
                        .orElse(settings.search().maxReplicas());
        for (DeploymentCandidate prompts : settings.search().pools() ? bases : List.<DeploymentCandidate>of()) {
            for (DeploymentCandidate outputs : bases) {
                outputs(outputs).ifPresent(pool -> routers(routers())
                        .forEach(router -> pools(prompts(prompts), pool, router, most)));
            }
        }
        return found;
    }

    private List<Router> routers() {
        return settings.search().routers();
    }

    private static List<Router> routers(List<Router> given) {
        return given.isEmpty() ? List.of(Router.LEAST_OUTSTANDING) : given;
    }

    /** The best deployments of vLLM, of different parallelism or weights, with one precision of the cache. */
    private static List<DeploymentCandidate> bases(List<DeploymentCandidate> ranked) {
        List<DeploymentCandidate> bases = new ArrayList<>();
        for (DeploymentCandidate candidate : ranked) {
            Shape shape = candidate.deployment().shape();
            boolean mayRun =
                    candidate.replica().isPresent() && candidate.estimate().isPresent();
            boolean isNew = bases.stream()
                    .map(base -> base.deployment().shape())
                    .noneMatch(base -> base.kv() != shape.kv()
                            || (base.devices() == shape.devices() && base.weights() == shape.weights()));
            if (mayRun && isNew && shape.kind() == Kind.VLLM && bases.size() < SHAPES) {
                bases.add(candidate);
            }
        }
        return bases;
    }

    private boolean isSpent() {
        return count >= settings.search().poolSimulations();
    }

    private DeploymentResult result(Pool prompts, Optional<Pool> outputs, Router router) {
        progress.accept(++count);
        return simulations.of(simulator, prompts, outputs, router, settings.load());
    }

    private static Pool with(Pool pool, int copies) {
        return new Pool(copies, pool.replica(), pool.deployment());
    }

    /** As few copies behind a router as hold. */
    private void copies(DeploymentCandidate base, Router router) {
        if (!base.isFeasible() || base.replicas() < 2 || isSpent()) {
            return;
        }
        Pool pool = new Pool(base.replicas(), base.replica().orElseThrow(), base.deployment());
        PoolConfiguration last =
                new PoolConfiguration(pool, Optional.empty(), router, result(pool, Optional.empty(), router));
        while (last.meetsSlo() && last.prompts().copies() > 1 && !isSpent()) {
            Pool fewer = with(pool, last.prompts().copies() - 1);
            PoolConfiguration next =
                    new PoolConfiguration(fewer, Optional.empty(), router, result(fewer, Optional.empty(), router));
            if (!next.meetsSlo()) {
                break;
            }
            last = next;
        }
        found.add(last);
    }

    /** Prompts go in steps with as many tokens as may be, where the memory has room for that. */
    private Pool prompts(DeploymentCandidate base) {
        EngineChoice own = base.deployment();
        int tokens = Collections.max(settings.search().maxNumBatchedTokens());
        EngineChoice wide =
                new EngineChoice(own.shape(), own.maxNumSeqs(), Math.max(tokens, own.maxNumBatchedTokens()));
        try {
            return pool(wide);
        } catch (StageException noRoom) {
            return pool(own);
        }
    }

    private Pool pool(EngineChoice deployment) {
        ReplicaModel replica = deployment.replica(
                settings.model(), settings.hardware(), settings.memoryUtilization(), requests.longest());
        double rate = new SteadyStateModel(replica, requests, deployment).promptsPerS();
        return new Pool(copies(PROMPTS * rate), replica, deployment);
    }

    /** Copies that serve the load at a rate per copy in requests/s, at most those of {@code search.max_replicas}. */
    private int copies(double rate) {
        return (int) Math.min(settings.search().maxReplicas(), Math.ceil(settings.load() / rate));
    }

    /** Empty where the model does not run so on the devices for outputs. */
    private Optional<Pool> outputs(DeploymentCandidate base) {
        EngineChoice own = base.deployment();
        Optional<HardwareCard> other = settings.search().outputHardware();
        ReplicaModel replica = base.replica().orElseThrow();
        if (other.isPresent()) {
            HardwareCard hardware = other.get();
            if (own.shape().whyInfeasible(settings.model(), hardware).isPresent()) {
                return Optional.empty();
            }
            replica = own.replica(settings.model(), hardware, settings.memoryUtilization(), requests.longest());
        }
        try {
            double rate = new SteadyStateModel(replica, requests, own).outputsPerS(slo.least("tpot"));
            return Optional.of(new Pool(copies(OUTPUTS * rate), replica, own));
        } catch (StageException noRoom) {
            return Optional.empty();
        }
    }

    /** From the rates on: more of what breaks a bound until it holds, then fewer of either until it does not. */
    private void pools(Pool prompts, Pool outputs, Router router, int most) {
        if (isSpent() || prompts.devices() + outputs.devices() > most) {
            return;
        }
        PoolConfiguration at = new PoolConfiguration(
                prompts, Optional.of(outputs), router, result(prompts, Optional.of(outputs), router));
        boolean isFutile = false;
        while (!at.meetsSlo() && !isFutile && !isSpent()) {
            PoolConfiguration next = more(at);
            if (next.devices() > most) {
                break;
            }
            DeploymentResult result = result(next.prompts(), next.outputs(), router);
            isFutile = result.isFutile(at.result(), slo);
            at = new PoolConfiguration(next.prompts(), next.outputs(), router, result);
        }
        found.add(at.meetsSlo() ? fewer(at) : at);
    }

    private PoolConfiguration more(PoolConfiguration at) {
        List<SloBound> broken = slo.broken(at.result().figures());
        boolean isFirst = broken.stream().anyMatch(bound -> !bound.kind().equals("tpot"));
        boolean isLater = broken.stream().anyMatch(bound -> !bound.kind().equals("ttft"));
        Pool outputs = at.outputs().orElseThrow();
        return new PoolConfiguration(
                isFirst ? with(at.prompts(), grown(at.prompts())) : at.prompts(),
                Optional.of(isLater ? with(outputs, grown(outputs)) : outputs),
                at.router(),
                at.result());
    }

    private static int grown(Pool pool) {
        return pool.copies() + Math.max(1, pool.copies() / 8);
    }

    private PoolConfiguration fewer(PoolConfiguration from) {
        PoolConfiguration at = from;
        for (boolean isFirst : new boolean[] {true, false}) {
            boolean meetsSlo = true;
            while (meetsSlo && !isSpent()) {
                Pool prompts = at.prompts();
                Pool outputs = at.outputs().orElseThrow();
                if ((isFirst ? prompts : outputs).copies() == 1) {
                    break;
                }
                Pool first = isFirst ? with(prompts, prompts.copies() - 1) : prompts;
                Optional<Pool> second = Optional.of(isFirst ? outputs : with(outputs, outputs.copies() - 1));
                DeploymentResult result = result(first, second, at.router());
                meetsSlo = result.meetsSlo();
                at = meetsSlo ? new PoolConfiguration(first, second, at.router(), result) : at;
            }
        }
        return at;
    }
}
