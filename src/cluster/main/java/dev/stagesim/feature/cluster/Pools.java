package dev.stagesim.feature.cluster;

import dev.stagesim.feature.cluster.engine.ClusterSim;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings;
import dev.stagesim.feature.cluster.experts.ExpertPlan;
import dev.stagesim.feature.cluster.experts.ExpertSettings;
import dev.stagesim.feature.cluster.experts.SequentialPlacement;
import dev.stagesim.feature.cluster.experts.ZipfLoad;
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
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.serving.EngineChoice.Shape;
import dev.stagesim.serving.PoolSimulator;
import dev.stagesim.serving.ReplicaModel;
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
        boolean isComplete =
                Arrays.stream(timeline.outcome).allMatch(outcome -> outcome == RequestTimeline.Outcome.COMPLETED);
        double end = Arrays.stream(timeline.completed).max().orElse(0);
        return new Served(
                timeline.firstToken,
                timeline.completed,
                isComplete,
                SustainedLoad.of(timeline, end, trace.size()).verdict());
    }

    /** Returns the engines of a pool as instances; engines with data-parallel attention run in lockstep. */
    private static PoolPlan plan(String name, PoolRole role, Pool pool) {
        Shape shape = pool.deployment().shape();
        ReplicaModel replica = pool.replica();
        int engines = shape.layout().dp();
        Shape single = shape.single();
        Optional<ExpertPlan> experts = shape.layout().isExpertParallel()
                ? Optional.of(ExpertPlan.of(
                                experts(engines, single.tp(), replica.model()),
                                single,
                                replica.model(),
                                replica.hardware())
                        .withoutOwnLoad())
                : Optional.empty();
        return new PoolPlan(
                name,
                role,
                pool.copies() * engines,
                Optional.empty(),
                new PoolPlan.StartTimes(0, 0),
                Optional.empty(),
                0,
                experts,
                experts.map(plan -> replica.engineWith(plan.shared())).orElse(replica),
                single,
                PoolPlans.networkBytesPerS(replica.hardware()) * single.devices());
    }

    /** Returns the experts on the devices of several engines; all devices have the same number. */
    private static ExpertSettings experts(int engines, int tp, ModelCard model) {
        int devices = engines * tp;
        int rest = model.experts().numExperts().orElseThrow() % devices;
        return new ExpertSettings(
                engines,
                (devices - rest) % devices,
                new ZipfLoad(0, Optional.empty(), 0, 0),
                new SequentialPlacement(),
                Optional.empty(),
                engines > 1);
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
