package dev.stagesim.sim.serving.cluster;

import dev.stagesim.model.Key;
import dev.stagesim.model.OnlyIf;
import dev.stagesim.model.Words;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A deployment as BLIS describes it; times are microseconds, names are those of BLIS, whose hyphens may be underscores, and an
 * empty name is its default.
 *
 * @param horizon the run ends before the first event after it; {@link Long#MAX_VALUE} for none
 * @param model name of the model, part of the names of replicas that are added
 * @param nodes pools of nodes that replicas are placed on; none when devices are not modelled
 * @param loadingUs time from a replica's order until it can serve
 * @param warmStart whether the first replicas are loaded from the start
 */
public record BlisConfig(
        int instances,
        long horizon,
        String model,
        BlisEngine engine,
        Admission admission,
        Routing routing,
        Split split,
        Optional<Gateway> gateway,
        Optional<Scaling> scaling,
        List<NodePool> nodes,
        long loadingUs,
        boolean warmStart) {
    /** Who is let in. */
    public record Admission(
            @Key("How requests are admitted. | always_admit")
                    @Words({"always_admit", "reject_all", "token_bucket", "tier_shed", "gaie_legacy"})
                    String policy,
            @Key("Time from arrival to the decision. | 0 | us | 0..1000000000000") long latency,
            @Key("Capacity of the bucket, with token_bucket. | 100000 | tokens | 0.000001..1000000000000")
                    @OnlyIf("policy = token_bucket | other rules have no bucket")
                    double capacity,
            @Key("Tokens added to it per second, with token_bucket. | 100000 | tokens/s | 0..1000000000000")
                    @OnlyIf("policy = token_bucket | other rules have no bucket")
                    double rate,
            @Key(
                            "Load of an instance above which requests of low priority are refused, with tier_shed. | 10 | 0..1000000000")
                    @OnlyIf("policy = tier_shed | only tier_shed looks at classes")
                    int shedAbove,
            @Key("Priority below which they are refused, with tier_shed; requests have 3. | 3 | -1000..1000")
                    @OnlyIf("policy = tier_shed | only tier_shed looks at classes")
                    int shedBelow,
            @Key("Waiting requests of a saturated instance, with gaie_legacy. | 5 | 0.000001..1000000000")
                    @OnlyIf("policy = gaie_legacy | other rules do not look at queues")
                    double queueLimit,
            @Key("Share of blocks used of a saturated instance, with gaie_legacy. | 0.8 | 0.000001..1")
                    @OnlyIf("policy = gaie_legacy | other rules do not look at blocks")
                    double kvLimit,
            @Key("Share of the cluster's batch places that a tenant may have in flight, by tenant. | {} | 0..1")
                    Map<String, Double> budgets) {}

    /** Who serves a request. */
    public record Routing(
            @Key("How instances are chosen. | round_robin")
                    @Words({"round_robin", "least_loaded", "always_busiest", "weighted"})
                    String policy,
            @Key("Time from admission to the decision. | 0 | us | 0..1000000000000") long latency,
            @Key("Scorers with weighted; none for precise_prefix_cache 2, queue_depth 1 and kv_utilization 1. | []")
                    @OnlyIf("policy = weighted | only weighted has scorers")
                    List<Scorer> scorers,
            @Key("Scorers for instances that compute prompts; none for policy. | []") List<Scorer> prefill,
            @Key("Scorers for instances that generate outputs; none for policy. | []") List<Scorer> decode,
            @Key("Maximum age of scraped signals; 0 for always fresh. | 0 | us | 0..1000000000000") long refreshUs,
            @Key("Maximum age of what routers know of caches; 0 for always fresh. | 0 | us | 0..1000000000000")
                    long cacheDelayUs) {}

    /** A scorer and its weight. */
    public record Scorer(
            @Key("What it looks at. | required")
                    @Words({
                        "precise_prefix_cache",
                        "prefix_affinity",
                        "no_hit_lru",
                        "queue_depth",
                        "running_requests",
                        "vllm_dp",
                        "kv_utilization",
                        "load_balance",
                        "load_aware",
                        "active_requests",
                        "lora_affinity"
                    })
                    String name,
            @Key("Its weight. | 1 | 0.000001..1000000") double weight) {}

    /**
     * Pools: the first instances compute prompts, the next generate, then those that do both, then those that encode images.
     *
     * @param decider {@code always}, {@code never} or {@code prefix-threshold}
     * @param threshold uncached prompt tokens above which a request is split
     * @param bytesPerUs bandwidth of a transfer
     * @param contends whether transfers share the bandwidth
     */
    public record Split(
            int prefill,
            int decode,
            int shared,
            int encode,
            String encodeDecider,
            String decider,
            int threshold,
            double bytesPerUs,
            double baseUs,
            boolean contends,
            double bytesPerToken) {
        boolean isOn() {
            return prefill > 0 || decode > 0 || shared > 0;
        }
    }

    /** The queue in front of the router. */
    public record Gateway(
            @Key("What saturates an instance. | utilization") @Words({"utilization", "concurrency", "never"})
                    String detector,
            @Key("Whether a tenant's requests go by deadline instead of arrival. | false") boolean byDeadline,
            @Key("Time of each class in which it should be served. | {} | us | 0..1000000000000")
                    Map<String, Long> targets,
            @Key("Requests that may wait; 0 for any number. | 0 | 0..1000000000") int maxDepth,
            @Key("Waiting requests of a saturated instance, with utilization. | 5 | 0.000001..1000000000")
                    @OnlyIf("detector = utilization | only utilization looks at queues")
                    double queueThreshold,
            @Key("Share of blocks used of a saturated instance, with utilization. | 0.8 | 0.000001..1")
                    @OnlyIf("detector = utilization | only utilization looks at blocks")
                    double kvThreshold,
            @Key("Requests in flight of a saturated instance, with concurrency. | 100 | 1..1000000000")
                    @OnlyIf("detector = concurrency | only concurrency counts requests")
                    int maxConcurrency,
            @Key("Requests of one priority that may wait; 0 for any number. | 0 | 0..1000000000") int bandCapacity,
            @Key("Saturation from which on the lowest band is closed. | 1 | 0.000001..1") double usageLimit,
            @Key("Whether tenants take turns. | false") boolean takesTurns,
            @Key("Time after which a waiting request is removed; 0 for never. | 0 | us | 0..1000000000000") long ttl,
            @Key("Whether a full queue drops a sheddable request for a newcomer. | false") boolean sheds,
            @Key("Time between two attempts to dispatch. | 1000 | us | 1..1000000000000") long tick,
            @Key("Whether dispatched sheddable requests are cancelled under saturation. | false") boolean evicts) {}

    /**
     * The saturation analyser.
     *
     * @param scrapeDelay time from a decision until it is carried out
     * @param upWindow time that the signal to grow must last
     * @param downWindow time that the signal to shrink must last
     * @param kvThreshold share of a replica's tokens that counts as supply
     * @param upThreshold utilisation above which replicas are added
     * @param downBoundary utilisation that must hold after one is removed
     * @param promptTokens tokens that a waiting request counts
     */
    public record Scaling(
            long interval,
            long scrapeDelay,
            long upWindow,
            long downWindow,
            double kvThreshold,
            double upThreshold,
            double downBoundary,
            double promptTokens) {}

    /** Equal nodes; all that it starts with are ready. */
    public record NodePool(String gpu, int gpusPerNode, int nodes, double costPerHour) {}
}
