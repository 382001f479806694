package dev.stagesim.feature.cluster;

import dev.stagesim.feature.PoolSimulator;
import dev.stagesim.feature.cluster.engine.ClusterSim;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings;
import dev.stagesim.feature.cluster.instance.Life;
import dev.stagesim.feature.cluster.instance.PoolPlan;
import dev.stagesim.feature.cluster.instance.PoolRole;
import dev.stagesim.feature.cluster.router.KvCost;
import dev.stagesim.feature.cluster.router.LeastOutstanding;
import dev.stagesim.feature.cluster.router.PrefixRouter;
import dev.stagesim.feature.cluster.router.RoundRobin;
import dev.stagesim.feature.cluster.router.Router;
import dev.stagesim.feature.cluster.router.RouterSettings;
import dev.stagesim.sim.serving.RequestTrace;
import dev.stagesim.sim.serving.SustainedLoad;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The cluster of this package for other features: one pool, or one for prompts and one for outputs. */
public final class Pools implements PoolSimulator {
    private static final double IDLE_POWER = 0.35;

    @Override
    public Served serve(Pool prompts, Optional<Pool> outputs, Router router, RequestTrace trace, double limit) {
        List<PoolPlan> pools = new ArrayList<>();
        outputs.ifPresent(pool -> pools.add(plan("decode", PoolRole.DECODE, pool)));
        pools.add(
                outputs.isPresent() ? plan("prefill", PoolRole.PREFILL, prompts) : plan("all", PoolRole.BOTH, prompts));
        ServingClusterSettings cluster = new ServingClusterSettings(
                Map.of(),
                settings(router),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                IDLE_POWER,
                Optional.empty());
        Life life = new ClusterSim(cluster, pools, trace).runTo(limit);
        boolean isServed = Arrays.stream(life.outcome).allMatch(outcome -> outcome == Life.Outcome.COMPLETED);
        double end = Arrays.stream(life.completed).max().orElse(0);
        boolean keepsUp =
                isServed && SustainedLoad.of(life, end, trace.size()).verdict() != SustainedLoad.Verdict.SATURATED;
        return new Served(life.firstToken, life.completed, keepsUp);
    }

    private static PoolPlan plan(String name, PoolRole role, Pool pool) {
        return new PoolPlan(
                name,
                role,
                pool.copies(),
                Optional.empty(),
                new PoolPlan.StartTimes(0, 0),
                Optional.empty(),
                0,
                Optional.empty(),
                pool.replica(),
                pool.deployment().shape(),
                PoolPlans.networkBytesPerS(pool.replica().hardware())
                        * pool.deployment().shape().devices());
    }

    private static RouterSettings settings(Router router) {
        return switch (router) {
            case ROUND_ROBIN -> new RoundRobin.Settings();
            case LEAST_OUTSTANDING -> new LeastOutstanding.Settings();
            case PREFIX -> PrefixRouter.USUAL;
            case KV_COST -> KvCost.USUAL;
        };
    }
}
