package dev.stagesim.feature.cluster;

import dev.stagesim.feature.cluster.cache.Tiers;
import dev.stagesim.feature.cluster.engine.ClusterTopology;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Pool;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Split;
import dev.stagesim.feature.cluster.instance.PoolPlan;
import dev.stagesim.feature.cluster.instance.PoolRole;
import dev.stagesim.feature.cluster.router.AibrixPrefix;
import dev.stagesim.feature.cluster.router.KvCost;
import dev.stagesim.feature.cluster.router.LlmD;
import dev.stagesim.feature.cluster.router.PrefixRouter;
import dev.stagesim.feature.cluster.router.ProductionKv;
import dev.stagesim.feature.cluster.router.RouterSettings;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.Problem;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** Checks the settings of KV events, and of routers that use cached prefixes. */
final class CacheChecks {
    private static final String EVENTS = "cluster.kv_events";

    private final ServingClusterSettings cluster;
    private final List<Problem> problems = new ArrayList<>();

    private CacheChecks(ServingClusterSettings cluster) {
        this.cluster = cluster;
    }

    static List<Problem> problems(ServingClusterSettings cluster) {
        CacheChecks checks = new CacheChecks(cluster);
        checks.events();
        checks.router("cluster.router", cluster.routing().router(), false);
        cluster.routing().decodeRouter().ifPresent(router -> checks.router("cluster.decode_router", router, true));
        return checks.problems;
    }

    /** Checks that all pools of a role have the same block size, because their router uses one. */
    static List<Problem> problems(ServingClusterSettings cluster, List<PoolPlan> pools) {
        CacheChecks checks = new CacheChecks(cluster);
        Map<PoolRole, PoolPlan> first = new EnumMap<>(PoolRole.class);
        for (PoolPlan pool : pools) {
            PoolPlan other = first.computeIfAbsent(pool.role(), role -> pool);
            if (checks.problems.isEmpty()
                    && ClusterTopology.publishesKvEvents(cluster, pool.role())
                    && other.block() != pool.block()) {
                checks.add(
                        EVENTS,
                        "requires equal block sizes, but a block has " + other.block() + " tokens in pool "
                                + other.name() + " and " + pool.block() + " in pool " + pool.name(),
                        "give both pools the same kv_cache and tp, or leave it out");
            }
        }
        return checks.problems;
    }

    private void add(String key, String message, String hint) {
        problems.add(Problem.config(key, message).hint(hint));
    }

    private void events() {
        boolean isUsed = cluster.routing().router().usesKvEvents()
                || cluster.routing()
                        .decodeRouter()
                        .filter(RouterSettings::usesKvEvents)
                        .isPresent()
                || cluster.split().filter(Split.Missing.class::isInstance).isPresent();
        if (cluster.routing().kvEvents().isPresent() && !isUsed) {
            add(
                    EVENTS,
                    "has no effect: no router uses KV events",
                    "leave it out, or use prefix, kv_cost, llm_d, aibrix_prefix or production_kv");
        }
        cluster.pools().forEach((name, pool) -> {
            if (cluster.routing().kvEvents().isPresent() && !(pool.batches() instanceof SchedulerSettings.VllmV1)) {
                add(
                        EVENTS,
                        "is supported for the scheduler vllm_v1 only, but pool " + name + " uses another scheduler",
                        "leave it out");
            }
        });
    }

    private void router(String key, RouterSettings router, boolean isForOutputs) {
        boolean isOther = (router instanceof LlmD.Settings llmD
                        && llmD.blockTokens()
                                != KeyRecord.defaults(LlmD.Settings.class).blockTokens())
                || (router instanceof PrefixRouter.Settings prefix
                        && prefix.blockTokens()
                                != KeyRecord.defaults(PrefixRouter.Settings.class)
                                        .blockTokens())
                || (router instanceof AibrixPrefix.Settings aibrix
                        && aibrix.blockTokens()
                                != KeyRecord.defaults(AibrixPrefix.Settings.class)
                                        .blockTokens())
                || (router instanceof ProductionKv.Settings production
                        && production.blockTokens()
                                != KeyRecord.defaults(ProductionKv.Settings.class)
                                        .blockTokens());
        if (cluster.routing().kvEvents().isPresent() && isOther) {
            add(key + ".block_tokens", "has no effect: KV events have the block size of the engine", "leave it out");
        }
        if (router instanceof LlmD.Settings llmD
                && llmD.scorers().usesKvEvents()
                && cluster.routing().kvEvents().isEmpty()) {
            add(
                    key + ".scorers.precise_prefix_cache",
                    "uses KV events, but cluster.kv_events is not set",
                    "set " + EVENTS + "={}, or use prefix_cache");
        }
        if (router instanceof KvCost.Settings costs) {
            credits(key + ".credits", costs.credits(), isForOutputs);
        }
    }

    private void credits(String key, KvCost.Credits credits, boolean isForOutputs) {
        credit(key + ".host", credits.host() != KvCost.Credits.DEFAULTS.host(), Tiers::host);
        credit(key + ".ssd", credits.ssd() != KvCost.Credits.DEFAULTS.ssd(), Tiers::ssd);
        credit(key + ".remote", credits.remote() != KvCost.Credits.DEFAULTS.remote(), Tiers::remote);
        if (credits.outputs() && !isForOutputs) {
            add(
                    key + ".outputs",
                    "has no effect: this router chooses prefill instances",
                    "set it in cluster.decode_router");
        }
    }

    private void credit(String key, boolean isSet, Function<Tiers, Optional<Tiers.Tier>> which) {
        boolean hasTier = cluster.pools().values().stream()
                .map(Pool::tiers)
                .flatMap(Optional::stream)
                .anyMatch(tiers -> which.apply(tiers).isPresent());
        if (isSet && cluster.routing().kvEvents().isEmpty()) {
            add(key, "has no effect: routers track lower tiers through KV events", "set " + EVENTS + "={}");
        } else if (isSet && !hasTier) {
            add(key, "has no effect: no pool has this tier", "add the tier to a pool, or leave it out");
        }
    }
}
