package dev.stagesim.serving;

import dev.stagesim.io.trace.WorkloadDocument;
import dev.stagesim.model.KeyNames;
import dev.stagesim.model.card.Confidence;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.card.Precision;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.model.hardware.StepCard;
import dev.stagesim.report.Numbers;
import dev.stagesim.sim.kernels.LayerTimes;
import dev.stagesim.sim.kernels.Links;
import dev.stagesim.sim.serving.spec.ClusterSpec;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.sim.serving.spec.ServingSpec;
import dev.stagesim.stats.Quantiles;
import java.util.Optional;
import java.util.function.IntUnaryOperator;
import java.util.stream.Stream;

/** Texts of {@link RunConditions}, shared by all stages. */
public final class ConditionText {
    private static final double GIGA = 1e9;
    private static final int DIGITS = 3;
    private static final double PERCENT = 100;
    private static final double MEDIAN = 0.5;
    private static final double TAIL = 0.99;
    private static final double SMALL_B = 15;
    private static final double LARGE_B = 100;
    private static final int NODE_DEVICES = 8;
    private static final double MAX_EXCHANGE_SHARE = 0.5;

    private ConditionText() {}

    /** Returns name, kind, size and storage of a model, with the width of its products if the device lacks their rate. */
    public static String model(ModelCard model, HardwareCard hardware) {
        String experts = model.expertPrecision() == model.formats().weights()
                ? ""
                : ", " + precision(model.expertPrecision()) + " experts" + width(model.expertPrecision(), hardware);
        return named(
                model,
                ", " + precision(model.formats().weights()) + " weights"
                        + width(model.formats().weights(), hardware) + experts + ", "
                        + precision(model.formats().kvCache()) + " KV cache");
    }

    /** Returns a note if weights are dequantised because the device cannot multiply them; empty otherwise. */
    public static Optional<String> dequantised(ModelCard model, HardwareCard hardware) {
        return Stream.of(model.formats().weights(), model.expertPrecision())
                .filter(weights -> !width(weights, hardware).isEmpty())
                .findFirst()
                .map(weights -> precision(weights) + " weights are dequantised to 16 bits, because " + hardware.name()
                        + " has no rate for them: they save memory, not compute");
    }

    /** Returns the conversion of an FP8 cache on devices without FP8 units, which step times do not model; empty otherwise. */
    public static Optional<String> convertedCache(ModelCard model, HardwareCard hardware) {
        return model.formats().kvCache() == Precision.FP8
                        && hardware.rates().fp8Tflops().isEmpty()
                ? Optional.of("conversion of the FP8 KV cache in software")
                : Optional.empty();
    }

    private static String width(Precision weights, HardwareCard hardware) {
        return hardware.productRate(weights) == weights.rate()
                ? ""
                : " (dequantised to 16 bits: they save memory, not compute)";
    }

    /** Returns name, kind and size of a model. */
    public static String architecture(ModelCard model) {
        return named(model, "");
    }

    private static String named(ModelCard model, String storage) {
        return model.name() + " (" + kind(model) + ", "
                + Numbers.significant(model.size().parameters() / GIGA, DIGITS) + " B" + storage
                + (model.origin().confidence() == Confidence.LOW ? ", card of low confidence" : "") + ")";
    }

    /** Returns the kind of a model's layers: dense, MoE or hybrid. */
    public static String kind(ModelCard model) {
        boolean isHybrid = model.hybrid().stateLayers().isPresent();
        String experts = model.isMixtureOfExperts() ? "MoE" : "dense";
        return isHybrid ? "hybrid " + experts : experts;
    }

    /**
     * Returns the class of deployments with comparable errors: kind of layers, size, and whether a replica spans several nodes.
     *
     * @param devices devices of a replica
     */
    public static String comparable(ModelCard model, int devices) {
        double billions = model.size().parameters() / 1e9;
        String size = billions <= SMALL_B ? "up to 15 B" : billions <= LARGE_B ? "15 to 100 B" : "above 100 B";
        return kind(model) + " " + size + (devices > NODE_DEVICES ? " on several nodes" : "");
    }

    private static String precision(Precision precision) {
        return KeyNames.constant(precision);
    }

    /** Returns a number of devices. */
    public static String devices(int count, HardwareCard hardware) {
        return Numbers.count(count) + " × " + hardware.name();
    }

    /**
     * Returns a number of devices, with the network between nodes if a copy spans several.
     *
     * @param copy devices of a copy of the model
     */
    public static String devices(int count, int copy, HardwareCard hardware) {
        return devices(count, hardware) + betweenNodes(copy, hardware);
    }

    /** Returns the network within a copy of this many devices, after a comma; empty if the copy is inside a node. */
    public static String betweenNodes(int copy, HardwareCard hardware) {
        int node = new Links(hardware).devicesPerNode();
        return copy <= node
                ? ""
                : ", between nodes of " + node + " devices " + network(hardware) + " at "
                        + Numbers.share(PERCENT * hardware.link().networkShare(), 0)
                        + " (hardware.link.network_share) and "
                        + Numbers.plain(hardware.link().nodeUs()) + " µs (hardware.link.node_us)";
    }

    /**
     * Returns a warning about steps in which sending tokens to experts and back takes more than half of the time; empty if it does
     * not.
     *
     * @param kind decode, prefill or mixed
     * @param copy devices that share the experts
     * @param keys keys that change this number of devices
     */
    public static Optional<String> dominantExchange(
            double share, String kind, int copy, HardwareCard hardware, String keys) {
        return share <= MAX_EXCHANGE_SHARE
                ? Optional.empty()
                : Optional.of("sending tokens to experts and back takes " + Numbers.share(PERCENT * share, 0)
                        + " of the time of " + kind + " steps on " + copy + " devices" + betweenNodes(copy, hardware)
                        + "; compare with fewer devices per replica (" + keys + ")");
    }

    /** Returns the network rate of a device with its key. */
    public static String network(HardwareCard hardware) {
        return hardware.host().nicGbpsPerAccelTyp().map(Numbers::plain).orElse("no")
                + " Gbit/s per device (hardware.nic_gbps_per_accel_typ)";
    }

    /** Returns the name of a scheduler's engine with its step-time card. */
    public static String engine(String name, StepCard card) {
        if (card.graphs().execution() == StepCard.Execution.NONE) {
            return "engine " + name + ", without engine overheads";
        }
        return "engine " + name + ", step times of "
                + card.versions().or(card::source).orElse("a card without versions");
    }

    /**
     * Returns the name of an engine with its step-time card, the version of its scheduling rules, speculative decoding and
     * stated KV blocks.
     */
    public static String engine(String name, ReplicaModel replica) {
        return engine(name, replica.engine())
                + replica.scheduler()
                        .rulesOf()
                        .map(rules -> ", scheduled as " + rules)
                        .orElse("")
                + replica.drafts().map(drafts -> ", " + drafts).orElse("")
                + exchange(replica)
                + replica.scheduler()
                        .numBlocks()
                        .map(blocks -> ", " + Numbers.count(blocks) + " KV blocks (" + replica.blocksKey() + ")")
                        .orElse("");
    }

    /** Returns the assumptions about tokens that engines send to experts; empty if they send none. */
    private static String exchange(ReplicaModel replica) {
        return ExpertSharing.sendsTokens(replica.scheduler(), replica.model())
                ? ", tokens sent to experts in " + (LayerTimes.dispatchesBytes(replica.model()) ? 8 : 16)
                        + " bits and back in 16 bits by the faster kernels of DeepEP"
                : "";
    }

    /** Returns the name of the engine that a scheduler belongs to, or of its policy. */
    public static String engineName(SchedulerSpec scheduler) {
        if (scheduler instanceof SchedulerSpec.VllmV1 engine) {
            return engine.share().isOfFree() ? "TensorRT-LLM" : "vLLM V1";
        }
        return scheduler instanceof SchedulerSpec.Sglang
                ? "SGLang"
                : scheduler.getClass().getSimpleName();
    }

    /** Returns replicas and their parallelism. */
    public static String parallelism(ServingSpec spec) {
        ClusterSpec cluster = spec.cluster();
        int engines = cluster.lockStep();
        int layers = spec.model().layers();
        int simulated = spec.layersPerStage() * cluster.pipelineStages();
        return some(cluster.replicas() / engines, "replica")
                + (engines > 1 ? " of " + engines + " engines" : "") + ", tensor parallel " + cluster.tensorParallel()
                + ", " + some(cluster.pipelineStages(), "pipeline stage")
                + (spec.isUneven()
                        ? " of at most " + spec.layersPerStage() + " of " + layers
                                + " layers, all simulated as the largest one (" + simulated + " layers, "
                                + Numbers.percent(PERCENT * (simulated - layers) / layers) + ")"
                        : "");
    }

    private static String some(long count, String what) {
        return Numbers.count(count) + " " + what + (count == 1 ? "" : "s");
    }

    /** Returns number and lengths of the requests. */
    public static String workload(
            int size, IntUnaryOperator prompt, IntUnaryOperator output, Optional<WorkloadDocument> document) {
        String source = document.map(made -> " (" + made.lengths() + ")").orElse("");
        return some(size, "request") + ", " + tokens("prompt", size, prompt) + ", " + tokens("output", size, output)
                + source;
    }

    private static String tokens(String what, int size, IntUnaryOperator tokens) {
        double[] sorted = Quantiles.sortedLengths(size, tokens);
        if (size == 0 || sorted[0] == sorted[size - 1]) {
            return what + " " + Numbers.count(size == 0 ? 0 : (long) sorted[0]) + " tokens each";
        }
        return what + " P50 " + quantile(sorted, MEDIAN) + " and P99 " + quantile(sorted, TAIL) + " tokens";
    }

    private static String quantile(double[] sorted, double q) {
        return Numbers.count(Math.round(Quantiles.ofSorted(sorted, q)));
    }

    /** Returns the arrival process of a workload. */
    public static String load(Optional<WorkloadDocument> document) {
        return "arrivals: " + document.map(WorkloadDocument::arrivals).orElse("as measured");
    }

    /** Returns the context of the model and the limit of the workload. */
    public static String contextLimit(
            ModelCard model, Optional<Integer> maxTokens, Optional<WorkloadDocument> document) {
        String context = maxTokens
                .map(limit -> Numbers.count(limit) + " tokens (simulation.max_tokens)")
                .orElse(Numbers.count(model.maxPosition()) + " tokens (model)");
        return context
                + document.flatMap(WorkloadDocument::maxTokens)
                        .map(limit -> ", workload.max_tokens " + Numbers.count(limit))
                        .orElse("");
    }

    /** Returns the seed of a generated workload. */
    public static String seeds(Optional<WorkloadDocument> document) {
        return document.map(made -> "seed " + made.seed()).orElse("");
    }
}
