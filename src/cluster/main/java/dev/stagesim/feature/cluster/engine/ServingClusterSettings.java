package dev.stagesim.feature.cluster.engine;

import dev.stagesim.feature.cluster.autoscaler.FailureSettings;
import dev.stagesim.feature.cluster.autoscaler.ScalingSettings;
import dev.stagesim.feature.cluster.cache.KvEventBus;
import dev.stagesim.feature.cluster.cache.Tiers;
import dev.stagesim.feature.cluster.experts.ExpertSettings;
import dev.stagesim.feature.cluster.gateway.GatewaySettings;
import dev.stagesim.feature.cluster.instance.PoolRole;
import dev.stagesim.feature.cluster.instance.Signals;
import dev.stagesim.feature.cluster.router.RouterSettings;
import dev.stagesim.feature.cluster.transfer.KvNetwork;
import dev.stagesim.model.FormerKeys;
import dev.stagesim.model.Key;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.Unwrapped;
import dev.stagesim.model.Variant;
import dev.stagesim.model.card.Precision;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.serving.EngineSchedulers;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** The section {@code cluster}. */
public record ServingClusterSettings(
        @Key("Pools of identical instances, by name.") Map<String, Pool> pools,
        @Unwrapped RoutingSettings routing,
        @Key("Requests that are split between prefill and decode pools; null for all requests if such pools"
                        + " exist. | null")
                Optional<Split> split,
        @Key("KV transfer from prefill to decode pools; null for the network of the hardware cards. | null")
                Optional<Transfer> transfer,
        @Key("Start times of instances; null for the defaults. | null") Optional<Start> start,
        @Key("Failures of instances; null for none. | null") Optional<FailureSettings> failures,
        @Key("Slow instances; null for none. | null") Optional<Stragglers> stragglers,
        @Key("Gateway with admission, queue, tenants and deadlines; null for none. | null")
                Optional<GatewaySettings> gateway,
        @Key("Sessions whose turns wait for the previous output; null to use the arrival times of the workload,"
                        + " unless it is a closed loop of sessions. | null")
                Optional<ClosedLoopSessions.Settings> sessions,
        @Key("Idle power of a device, relative to its board power. | 0.2 | 0..1") double idlePower,
        @Key("Carbon intensity of the electricity; null to leave it out. | null | g/kWh | 0..100000")
                Optional<Double> carbonGPerKwh) {
    /** Routers and the state that they read. */
    public record RoutingSettings(
            @Key("Router of prompts. | { kind = least_outstanding }") RouterSettings router,
            @Key("Router of the decode pools; null for least_outstanding. | null")
                    Optional<RouterSettings> decodeRouter,
            @Key("Age of the instance metrics that routers read; null for current values. | null")
                    Optional<Signals.Settings> signals,
            @Key("KV events from caches to routers that use prefixes; null for routers that estimate"
                            + " caches from the prompts they sent. | null")
                    Optional<KvEventBus.Settings> kvEvents) {}

    /** The section {@code cluster.start}: consecutive phases from the order of an instance to its first request. */
    @FormerKeys("node_s=node_provisioning_s")
    public record Start(
            @Key("Time to provision a node. | 0 | s | 0..1000000") double nodeProvisioningS,
            @Key("Time to pull and unpack the engine image; 0 if nodes have it. | 58 | s | 0..1000000") double imageS,
            @Key("Read bandwidth of weights from the store, per instance. | 2 | GB/s | 0.000001..1000000000")
                    double storeGbs,
            @Key("Read bandwidth of weights from a running instance of the pool; null to read from the store. |"
                            + " null | GB/s | 0.000001..1000000000")
                    Optional<Double> peerGbs,
            @Key("Time to compile and to capture graphs. | 34 | s | 0..1000000") double captureS,
            @Key("Warm-up time. | 10 | s | 0..1000000") double warmUpS) {}

    /** The section {@code cluster.stragglers}. */
    public record Stragglers(
            @Key("Probability that an instance is slow. | 0.1 | 0.000001..1") double share,
            @Key("Factor on the step time. | 1.5 | 1..1000") double factor,
            @Key("Random seed. | 42 | 0..9223372036854775807") long seed) {}

    /** The section {@code cluster.pools.NAME}. */
    @FormerKeys("retain_s=session_retention_s")
    public record Pool(
            @Key("Phases that the instances serve. | required") PoolRole role,
            @Key("Number of instances, initially if the pool has autoscaling. | required | 0..10000") int replicas,
            @Unwrapped PoolDeployment deployment,
            @Unwrapped PoolScheduling scheduling,
            @Key("Autoscaling; null for a constant number of instances. | null") Optional<ScalingSettings> scaling,
            @Key("KV cache tiers below device memory; null for none. | null") Optional<Tiers> tiers,
            @Key("Time for which cached blocks of an unfinished session are evicted last. | 0 | s | 0..1000000")
                    double sessionRetentionS,
            @Key("LoRA adapters; null for none. | null") Optional<Loras> loras,
            @Key("Routed experts shared by instances; null for instances with all experts. | null")
                    Optional<ExpertSettings> experts) {
        /** Engine, devices and precision of an instance. */
        public record PoolDeployment(
                @Key("Name of the engine in the section engines. | vllm_v1") String engine,
                @Key("Devices of the pool; null for the section hardware. | null") Optional<HardwareCard> hardware,
                @Key("Tensor parallelism. | 1 | 1..1000000") int tp,
                @Key("Pipeline parallelism. | 1 | 1..1000000") int pp,
                @Key("Whether each expert is on one device of an instance, not spread over all of them. | false")
                        boolean expertParallel,
                @Key("Precision of the weights; null for the default of the model. | null") Optional<Precision> weights,
                @Key("Precision of the KV cache; null for the default of the model. | null")
                        Optional<Precision> kvCache) {}

        /** Scheduler of an instance and its limits. */
        public record PoolScheduling(
                @Key("Scheduler; null for the default scheduler of the engine. | null")
                        Optional<SchedulerSettings> scheduler,
                @Key("Maximum requests per step; null for the value of the scheduler. | null | requests |"
                                + " 1..1000000000")
                        Optional<Integer> maxNumSeqs,
                @Key("Maximum tokens per step; null for the value of the scheduler. | null | tokens | 1..1000000000")
                        Optional<Integer> maxNumBatchedTokens,
                @Key("Share of device memory for the engine, as defined by its own setting; null for the value of"
                                + " the scheduler. | null | 0.000001..1")
                        Optional<Double> memoryUtilization) {}

        /** Returns the scheduler with the limits of the pool. */
        public SchedulerSettings batches() {
            SchedulerSettings given = scheduling.scheduler().orElseGet(() -> EngineSchedulers.of(deployment.engine()));
            SchedulerSettings batches = EngineSchedulers.with(
                    role == PoolRole.PREFILL ? EngineSchedulers.inPrefillPool(deployment.engine(), given) : given,
                    new EngineSchedulers.Limits(
                            scheduling.maxNumSeqs(), scheduling.maxNumBatchedTokens(), scheduling.memoryUtilization()));
            if (deployment.expertParallel()) {
                batches = EngineSchedulers.expertParallel(batches);
            }
            if (loras.isEmpty() || !(batches instanceof SchedulerSettings.VllmV1 vllm)) {
                return batches;
            }
            Map<String, Object> changes = new LinkedHashMap<>();
            changes.put("enableLora", true);
            changes.put("maxLoras", loras.get().slots());
            changes.put("maxLoraRank", loras.get().rank());
            return KeyRecord.with(SchedulerSettings.VllmV1.class, vllm, changes);
        }
    }

    /** The section {@code cluster.pools.NAME.loras}. */
    public record Loras(
            @Key("Maximum adapters in device memory, and per step. | 4 | 1..10000") int slots,
            @Key("Maximum rank of an adapter; determines the size of a slot. | 16 | 1..512") int rank) {}

    /** The section {@code cluster.split}. */
    public sealed interface Split permits Split.Always, Split.LongerThan, Split.Missing {
        @Variant("always | All requests are split.")
        record Always() implements Split {}

        @Variant("by_prompt_tokens | Requests with long prompts are split. The others run in mixed pools, or"
                + " in decode pools if there are no mixed ones.")
        record LongerThan(
                @Key("Maximum prompt length of a request that is not split. | 512 | tokens | 0..1000000000") int tokens)
                implements Split {}

        @Variant("by_missing_tokens | The decode instance is chosen first. It prefills the prompt itself if"
                + " few of its tokens are missing in its cache, estimated from the prompts that were sent to it.")
        record Missing(
                @Key("Maximum number of missing tokens of a request that is not split. | 512 | tokens | 0..1000000000")
                        int tokens)
                implements Split {}
    }

    /** Sharing of an instance's link among transfers. */
    public enum Share {
        FAIR, // Transfers divide the bandwidth of both links equally and run at the lower rate.
        EXCLUSIVE // Each transfer has the full bandwidth.
    }

    /** The section {@code cluster.transfer}. */
    public record Transfer(
            @Key("Bandwidth per device and direction; null for the network of the hardware card."
                            + " | null | GB/s | 0.000001..1000000000")
                    Optional<Double> bandwidthGbs,
            @Key("Fixed latency of a transfer. | 50 | us | 0..1000000000") double latencyUs,
            @Key("Sharing of links among transfers. | fair") Share share,
            @Key("Simulated network between instances; null for the links of the instances only. | null")
                    Optional<KvNetwork> network) {
        public static final Transfer DEFAULT = KeyRecord.defaults(Transfer.class);
    }
}
