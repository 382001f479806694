package dev.stagesim.feature.cluster;

import dev.stagesim.feature.cluster.engine.ClusterSim;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings;
import dev.stagesim.feature.cluster.instance.PoolPlan;
import dev.stagesim.feature.cluster.instance.PoolRole;
import dev.stagesim.feature.cluster.instance.RequestTimeline;
import dev.stagesim.feature.cluster.router.KvCost;
import dev.stagesim.feature.cluster.router.LeastOutstanding;
import dev.stagesim.feature.cluster.router.PrefixRouter;
import dev.stagesim.feature.cluster.router.RoundRobin;
import dev.stagesim.feature.cluster.router.Router;
import dev.stagesim.feature.cluster.router.RouterSettings;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.serving.PoolSimulator;
import dev.stagesim.sim.serving.metrics.SustainedLoad;
import dev.stagesim.sim.serving.request.RequestTrace;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Simulates one pool, or a prefill and a decode pool, for other features. */
final class Pools implements PoolSimulator {
    @Override
    public Served serve(Pool prompts, Optional<Pool> outputs, Router router, RequestTrace trace, double limit) {
        List<PoolPlan> pools = new ArrayList<>();
        outputs.ifPresent(pool -> pools.add(plan("decode", PoolRole.DECODE, pool)));
        pools.add(
                outputs.isPresent() ? plan("prefill", PoolRole.PREFILL, prompts) : plan("all", PoolRole.BOTH, prompts));
        ServingClusterSettings cluster =
                KeyRecord.make(ServingClusterSettings.class, component -> switch (component.getName()) {
                    case "pools" -> Map.of();
                    case "router" -> settings(router);
                    default -> KeyRecord.defaultValue(component);
                });
        RequestTimeline timeline = new ClusterSim(cluster, pools, trace).runTo(limit);
        boolean isServed =
                Arrays.stream(timeline.outcome).allMatch(outcome -> outcome == RequestTimeline.Outcome.COMPLETED);
        double end = Arrays.stream(timeline.completed).max().orElse(0);
        boolean keepsUp =
                isServed && SustainedLoad.of(timeline, end, trace.size()).verdict() != SustainedLoad.Verdict.SATURATED;
        return new Served(timeline.firstToken, timeline.completed, keepsUp);
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
            case PREFIX -> PrefixRouter.DEFAULTS;
            case KV_COST -> KvCost.DEFAULTS;
        };
    }
}
