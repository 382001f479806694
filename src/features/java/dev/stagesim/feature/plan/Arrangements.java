package dev.stagesim.feature.plan;

import dev.stagesim.feature.EngineChoice;
import dev.stagesim.feature.EngineChoice.Kind;
import dev.stagesim.feature.EngineChoice.Shape;
import dev.stagesim.feature.PoolSimulator;
import dev.stagesim.feature.PoolSimulator.Pool;
import dev.stagesim.feature.PoolSimulator.Router;
import dev.stagesim.feature.plan.Slo.Bound;
import dev.stagesim.feature.plan.Trials.Trial;
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
final class Arrangements {
    private static final int SHAPES = 2;

    /** Share of its rate that a pool for prompts may be used to, so that they do not queue; and one for outputs. */
    private static final double PROMPTS = 0.7;

    private static final double OUTPUTS = 0.9;

    /** Pools are not looked for with so many times the devices of the best copies. */
    private static final int MOST = 2;

    private final PlanSettings settings;
    private final Requests requests;
    private final Slo slo;
    private final Trials trials;
    private final LongConsumer progress;
    private final PoolSimulator simulator;
    private final List<Arrangement> found = new ArrayList<>();
    private int count;

    Arrangements(
            PlanSettings settings,
            Requests requests,
            Slo slo,
            Trials trials,
            PoolSimulator simulator,
            LongConsumer progress) {
        this.settings = settings;
        this.requests = requests;
        this.slo = slo;
        this.trials = trials;
        this.simulator = simulator;
        this.progress = progress;
    }

    /** Simulations so far. */
    int count() {
        return count;
    }

    /** The least of each kind that holds, or what was tried last where none does; in the order of the search. */
    List<Arrangement> run(List<Candidate> ranked) {
        List<Candidate> bases = bases(ranked);
        for (Candidate base : bases) {
            routers().stream().filter(one -> one != Router.ROUND_ROBIN).forEach(router -> copies(base, router));
        }
        int most = MOST
                * Search.winner(ranked)
                        .map(Candidate::devices)
                        .orElse(settings.search().maxReplicas());
        for (Candidate prompts : settings.search().pools() ? bases : List.<Candidate>of()) {
            for (Candidate outputs : bases) {
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
    private static List<Candidate> bases(List<Candidate> ranked) {
        List<Candidate> bases = new ArrayList<>();
        for (Candidate candidate : ranked) {
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

    private Trial trial(Pool prompts, Optional<Pool> outputs, Router router) {
        progress.accept(++count);
        return trials.of(simulator, prompts, outputs, router, settings.load());
    }

    private static Pool with(Pool pool, int copies) {
        return new Pool(copies, pool.replica(), pool.deployment());
    }

    /** As few copies behind a router as hold. */
    private void copies(Candidate base, Router router) {
        if (!base.isConfirmed() || base.replicas() < 2 || isSpent()) {
            return;
        }
        Pool pool = new Pool(base.replicas(), base.replica().orElseThrow(), base.deployment());
        Arrangement last = new Arrangement(pool, Optional.empty(), router, trial(pool, Optional.empty(), router));
        while (last.holds() && last.prompts().copies() > 1 && !isSpent()) {
            Pool fewer = with(pool, last.prompts().copies() - 1);
            Arrangement next = new Arrangement(fewer, Optional.empty(), router, trial(fewer, Optional.empty(), router));
            if (!next.holds()) {
                break;
            }
            last = next;
        }
        found.add(last);
    }

    /** Prompts go in steps with as many tokens as may be, where the memory has room for that. */
    private Pool prompts(Candidate base) {
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
        double rate = new Steady(replica, requests, deployment).promptsPerS();
        return new Pool(copies(PROMPTS * rate), replica, deployment);
    }

    /** Copies that serve the load at a rate per copy in requests/s, at most those of {@code search.max_replicas}. */
    private int copies(double rate) {
        return (int) Math.min(settings.search().maxReplicas(), Math.ceil(settings.load() / rate));
    }

    /** Empty where the model does not run so on the devices for outputs. */
    private Optional<Pool> outputs(Candidate base) {
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
            double rate = new Steady(replica, requests, own).outputsPerS(slo.least("tpot"));
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
        Arrangement at =
                new Arrangement(prompts, Optional.of(outputs), router, trial(prompts, Optional.of(outputs), router));
        boolean isVain = false;
        while (!at.holds() && !isVain && !isSpent()) {
            Arrangement next = more(at);
            if (next.devices() > most) {
                break;
            }
            Trial trial = trial(next.prompts(), next.outputs(), router);
            isVain = trial.isVain(at.trial(), slo);
            at = new Arrangement(next.prompts(), next.outputs(), router, trial);
        }
        found.add(at.holds() ? fewer(at) : at);
    }

    private Arrangement more(Arrangement at) {
        List<Bound> broken = slo.broken(at.trial().figures());
        boolean isFirst = broken.stream().anyMatch(bound -> !bound.kind().equals("tpot"));
        boolean isLater = broken.stream().anyMatch(bound -> !bound.kind().equals("ttft"));
        Pool outputs = at.outputs().orElseThrow();
        return new Arrangement(
                isFirst ? with(at.prompts(), grown(at.prompts())) : at.prompts(),
                Optional.of(isLater ? with(outputs, grown(outputs)) : outputs),
                at.router(),
                at.trial());
    }

    private static int grown(Pool pool) {
        return pool.copies() + Math.max(1, pool.copies() / 8);
    }

    private Arrangement fewer(Arrangement from) {
        Arrangement at = from;
        for (boolean isFirst : new boolean[] {true, false}) {
            boolean holds = true;
            while (holds && !isSpent()) {
                Pool prompts = at.prompts();
                Pool outputs = at.outputs().orElseThrow();
                if ((isFirst ? prompts : outputs).copies() == 1) {
                    break;
                }
                Pool first = isFirst ? with(prompts, prompts.copies() - 1) : prompts;
                Optional<Pool> second = Optional.of(isFirst ? outputs : with(outputs, outputs.copies() - 1));
                Trial trial = trial(first, second, at.router());
                holds = trial.holds();
                at = holds ? new Arrangement(first, second, at.router(), trial) : at;
            }
        }
        return at;
    }
}
