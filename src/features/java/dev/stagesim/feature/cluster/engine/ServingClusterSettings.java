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
import dev.stagesim.model.Key;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.Variant;
import dev.stagesim.model.card.HardwareCard;
import dev.stagesim.model.card.Precision;
import dev.stagesim.serving.EngineSchedulers;
import dev.stagesim.sim.serving.SchedulerSettings;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** The section {@code cluster}. */
public record ServingClusterSettings(
        @Key("Pools of equal instances, by name.") Map<String, Pool> pools,
        @Key("How instances are chosen for prompts. | { kind = least_outstanding }") RouterSettings router,
        @Key("How instances of decode pools are chosen; null for least_outstanding. | null")
                Optional<RouterSettings> decodeRouter,
        @Key("How old what routers see of instances is, besides what they sent themselves; null for as it is. | null")
                Optional<Signals.Settings> signals,
        @Key(
                        "What caches tell routers that know prefixes of the blocks they hold; null for routers that go by what they"
                                + " sent. | null")
                Optional<KvEventBus.Settings> kvEvents,
        @Key("Which requests have their prompt in a prefill pool and their output in a decode pool; null for all"
                        + " where there are such pools. | null")
                Optional<Split> split,
        @Key("How keys and values get from prefill to decode pools; null for the network of the hardware cards."
                        + " | null")
                Optional<Transfer> transfer,
        @Key("How instances start that are ordered or come back; null for the defaults of its keys. | null")
                Optional<Start> start,
        @Key("Instances that fail; null for none. | null") Optional<FailureSettings> failures,
        @Key("Instances whose steps take longer; null for none. | null") Optional<Stragglers> stragglers,
        @Key("Admission, queue, tenants and deadlines in front of the cluster; null for none. | null")
                Optional<GatewaySettings> gateway,
        @Key("Turns of a conversation that wait for the answer before; null for turns that come when the workload"
                        + " has them. | null")
                Optional<Sessions.Settings> sessions,
        @Key("Power of an idle device as a share of its board power. | 0.35 | 0..1") double idlePower,
        @Key("Carbon of the electricity; null to leave it out. | null | g/kWh | 0..100000")
                Optional<Double> carbonGPerKwh) {

    /** The section {@code cluster.start}: what an instance needs from its order to its first request, one after the other. */
    public record Start(
            @Key("Until there is a node. | 0 | s | 0..1000000") double nodeS,
            @Key("To pull and unpack the image of the engine; 0 where nodes have it. | 58 | s | 0..1000000")
                    double imageS,
            @Key("Rate at which an instance reads weights from the store. | 2 | GB/s | 0.000001..1000000000")
                    double storeGbs,
            @Key("Rate at which it reads them from an instance of its pool that runs; null to read them from the"
                            + " store. | null | GB/s | 0.000001..1000000000")
                    Optional<Double> peerGbs,
            @Key("To compile, and to capture graphs. | 34 | s | 0..1000000") double captureS,
            @Key("To warm up. | 10 | s | 0..1000000") double warmUpS) {}

    /** The section {@code cluster.stragglers}. */
    public record Stragglers(
            @Key("Share of the instances, drawn one by one. | 0.1 | 0.000001..1") double share,
            @Key("How much longer their steps take. | 1.5 | 1..1000") double factor,
            @Key("Seed of the draws. | 42 | 0..9223372036854775807") long seed) {}

    /** The section {@code cluster.pools.NAME}. */
    public record Pool(
            @Key("What its instances do. | required") PoolRole role,
            @Key("Instances; at first, where their number changes. | required | 0..10000") int replicas,
            @Key("Engine, by its name in the section engines. | vllm_v1") String engine,
            @Key("Devices of the pool; null for those of the section hardware. | null") Optional<HardwareCard> hardware,
            @Key("Devices that share each layer. | 1 | 1..1000000") int tp,
            @Key("Groups of devices that share the layers. | 1 | 1..1000000") int pp,
            @Key("How weights are stored; null for the model's own. | null") Optional<Precision> weights,
            @Key("How the KV cache is stored; null for the model's own. | null") Optional<Precision> kvCache,
            @Key(
                            "How its instances form batches; null for the engine's scheduler with the defaults of its keys. | null")
                    Optional<SchedulerSettings> scheduler,
            @Key("Maximum requests of a step; null for the scheduler's. | null | requests | 1..1000000000")
                    Optional<Integer> maxNumSeqs,
            @Key("Maximum tokens of a step; null for the scheduler's. | null | tokens | 1..1000000000")
                    Optional<Integer> maxNumBatchedTokens,
            @Key("Share of a device's memory that the engine takes, as its own setting of it counts; null for the"
                            + " scheduler's. | null | 0.000001..1")
                    Optional<Double> memoryUtilization,
            @Key("Scaling; null for always the same instances. | null") Optional<ScalingSettings> scaling,
            @Key("Where keys and values go besides the devices; null for nowhere. | null") Optional<Tiers> tiers,
            @Key("How long what a conversation with turns to come leaves in the engine's own cache gives way after all"
                            + " else. | 0 | s | 0..1000000")
                    double retainS,
            @Key("Slots of LoRA adapters; null for none. | null") Optional<Loras> loras,
            @Key("Routed experts that are whole on devices of their own; null for every expert on all devices of an"
                            + " instance. | null")
                    Optional<ExpertSettings> experts) {
        /** Returns the scheduler of its instances with the limits that the pool sets. */
        public SchedulerSettings batches() {
            SchedulerSettings batches = EngineSchedulers.with(
                    scheduler.orElseGet(() -> EngineSchedulers.of(engine)),
                    new EngineSchedulers.Limits(maxNumSeqs, maxNumBatchedTokens, memoryUtilization));
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
            @Key("Adapters in a device's memory, and most in a step. | 4 | 1..10000") int slots,
            @Key("Maximum rank of an adapter, which every slot has room for. | 16 | 1..512") int rank) {}

    /** The section {@code cluster.split}. */
    public sealed interface Split permits Split.Always, Split.LongerThan, Split.Missing {
        @Variant("always | Every request.")
        record Always() implements Split {}

        @Variant(
                "when_longer_than | Requests with long prompts; the others run whole in mixed pools, or in decode pools where"
                        + " there are no mixed ones.")
        record LongerThan(@Key("Longest prompt that is not split. | 512 | tokens | 0..1000000000") int tokens)
                implements Split {}

        @Variant(
                "when_missing | The decode instance is chosen first, and computes the prompt itself where it lacks little of it, by"
                        + " what it was sent before.")
        record Missing(@Key("Maximum missing tokens for that. | 512 | tokens | 0..1000000000") int tokens)
                implements Split {}
    }

    /** How transfers share the link of an instance. */
    public enum Share {
        FAIR, // Transfers in progress get equal parts of each side's link, and go at the lesser.
        LINE // Every transfer has the links to itself.
    }

    /** The section {@code cluster.transfer}. */
    public record Transfer(
            @Key(
                            "Bandwidth of a device and direction; null for the network of the pool's hardware card. | null | GB/s |"
                                    + " 0.000001..1000000000")
                    Optional<Double> bandwidthGbs,
            @Key("Time of a transfer besides its bytes. | 50 | us | 0..1000000000") double latencyUs,
            @Key("How transfers in progress share the links. | fair") Share share,
            @Key("The network between instances, simulated; null for their own links alone. | null")
                    Optional<KvNetwork> network) {
        /** The defaults of all keys. */
        public static final Transfer DEFAULT = KeyRecord.defaults(Transfer.class);
    }
}
