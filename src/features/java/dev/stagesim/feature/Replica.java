package dev.stagesim.feature;

import dev.stagesim.feature.Deployment.Kind;
import dev.stagesim.feature.Deployment.Shape;
import dev.stagesim.model.HardwareCard;
import dev.stagesim.model.ModelCard;
import dev.stagesim.model.ModelSize;
import dev.stagesim.model.Precision;
import dev.stagesim.model.StageException;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.serving.KvLayers;
import dev.stagesim.serving.ServingSpecs;
import dev.stagesim.sim.kernels.ContextSharding;
import dev.stagesim.sim.kernels.EngineTimes;
import dev.stagesim.sim.kernels.ExpertTimes;
import dev.stagesim.sim.kernels.ExpertTraffic;
import dev.stagesim.sim.kernels.LayerTimes;
import dev.stagesim.sim.kernels.Links;
import dev.stagesim.sim.kernels.ProfiledMemory;
import dev.stagesim.sim.kernels.Sharding;
import dev.stagesim.sim.kernels.StepModel;
import dev.stagesim.sim.serving.Accident;
import dev.stagesim.sim.serving.ClusterSpec;
import dev.stagesim.sim.serving.Footprint;
import dev.stagesim.sim.serving.GlobalPolicy;
import dev.stagesim.sim.serving.MemoryPlan;
import dev.stagesim.sim.serving.SchedulerSpec;
import dev.stagesim.sim.serving.SchedulerSpec.Lora;
import dev.stagesim.sim.serving.ServingSpec;
import dev.stagesim.sim.serving.TimingSpec;
import dev.stagesim.sim.serving.memory.RadixTree;
import dev.stagesim.sim.serving.policy.Acceptance;
import dev.stagesim.sim.serving.policy.QueueOrder;
import dev.stagesim.sim.serving.policy.SglangSettings;
import dev.stagesim.sim.serving.policy.Speculation;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A model on devices in one shape: its step times and its memory. */
public final class Replica {
    /**
     * Routed experts that are whole on devices of several copies of the model.
     *
     * @param copies copies of the model
     * @param slots experts of a layer on all of their devices, some of them several times
     */
    public record SharedExperts(int copies, int slots) {}

    private static final int BLOCK = 16;
    private static final int MODEL_RUNNER = 2;

    private final Shape shape;
    private final ModelCard model;
    private final HardwareCard hardware;
    private final double utilization;
    private final int longest;
    private final EngineTimes times;
    private final double tokenBytes;
    private final double weightBytes;
    private final Lora lora;
    private final Optional<SharedExperts> shared;

    /**
     * Without limits of a batch, on which the memory for the cache depends.
     *
     * @param utilization share of memory that the engine takes
     * @param longest longest sequence
     */
    public Replica(Shape shape, ModelCard card, HardwareCard hardware, double utilization, int longest) {
        this(shape, card, hardware, utilization, longest, Lora.NONE, Optional.empty());
    }

    /** The same with slots of LoRA adapters, where the engine is vLLM, and experts shared with other copies. */
    public Replica(
            Shape shape,
            ModelCard card,
            HardwareCard hardware,
            double utilization,
            int longest,
            Lora lora,
            Optional<SharedExperts> shared) {
        this.lora = lora;
        this.shared = shared;
        this.shape = shape;
        this.hardware = hardware;
        this.utilization = utilization;
        this.longest = longest;
        model = card.stored(shape.weights(), shape.experts(), shape.kv());
        times = times(null);
        ServingSpec one = spec(new Deployment(shape, 1, 1), 1, 0);
        tokenBytes = one.heldKvBytesPerToken();
        weightBytes = (double) one.weightBytesPerDevice() * shape.devices();
    }

    /** Times of a step with experts that are chosen and placed as these; null for the usual. */
    public EngineTimes times(@Nullable ExpertTraffic traffic) {
        return times(traffic, false);
    }

    /** The same, where {@code isTogether} is, of copies that share experts and run every step together. */
    public EngineTimes times(@Nullable ExpertTraffic traffic, boolean isTogether) {
        Sharding own = Sharding.tensor(shape.tp(), shape.pp());
        Sharding sharding = shared.map(
                        its -> new Sharding(shape.tp(), shape.pp(), its.copies(), 1, its.copies() * shape.tp()))
                .orElse(own);
        int most = (longest / LayerTimes.KV_STEP + 2) * LayerTimes.KV_STEP;
        LayerTimes layers = new LayerTimes(model, hardware, shape.card(), sharding, most, traffic);
        // the host and the collectives of an instance are its own
        OperatorTimes operators = isTogether ? new ExpertTimes(layers, layers) : layers;
        return new EngineTimes(operators, new StepModel(model, hardware.hostClass(), shape.card(), own, layers));
    }

    /** Size of the model with its part of shared experts. */
    private Footprint footprint() {
        Footprint whole = ServingSpecs.footprint(model);
        if (shared.isEmpty()) {
            return whole;
        }
        double expert = (double) ModelSize.expertLayers(model)
                * ModelSize.matrices(model, model.moeFfnDim().orElseThrow())
                * model.expertPrecision().bytes();
        double held = (double) shared.get().slots() / shared.get().copies();
        return new Footprint(
                whole.parameters(),
                whole.activeParameters(),
                whole.kvBytesPerToken(),
                whole.weightBytes() - Math.round(expert * (model.numExperts().orElseThrow() - held)),
                whole.kvSharded());
    }

    /** Why the model cannot run in a shape on a device, memory apart; empty when it can. */
    public static Optional<String> misfit(Shape shape, ModelCard model, HardwareCard hardware) {
        if (!LayerTimes.splits(model, shape.tp())) {
            return Optional.of("tensor parallelism does not divide the model");
        }
        if (model.numLayers() % shape.pp() != 0) {
            return Optional.of("pipeline stages do not divide the " + model.numLayers() + " layers");
        }
        if (isSglang(shape) && shape.pp() > 1) {
            return Optional.of("SGLang is simulated with one pipeline stage");
        }
        Links links = new Links(hardware);
        if (shape.tp() > 1 && !links.canLink(shape.tp())) {
            return Optional.of("no link between so many devices");
        }
        if (shape.devices() > links.devicesPerNode() && !links.hasNetwork()) {
            return Optional.of("no network between nodes");
        }
        if (shape.kind() == Kind.TRTLLM && !hardware.vendor().equals("NVIDIA")) {
            return Optional.of("the engine runs on NVIDIA devices only");
        }
        boolean hasWidth = hasWidth(hardware, shape.weights()) && hasWidth(hardware, shape.experts());
        return hasWidth || shape.kind() == Kind.VLLM
                ? Optional.empty()
                : Optional.of("the engine has no kernels for such weights on a device without their rate");
    }

    /** Whether the device multiplies at the width of such weights; mixed 4-bit experts run on any. */
    public static boolean hasWidth(HardwareCard hardware, Precision weights) {
        return switch (weights) {
            case FP8, FP8_BLOCK -> hardware.fp8Tflops().isPresent();
            case NVFP4 -> hardware.fp4Tflops().isPresent();
            default -> true;
        };
    }

    /**
     * So many copies behind a round robin.
     *
     * @param limit when a simulation of them ends, in seconds; 0 for never
     */
    public ServingSpec spec(Deployment deployment, int replicas, double limit) {
        return new ServingSpec(
                ServingSpecs.shape(model),
                Optional.of(footprint()),
                new ClusterSpec(
                        replicas,
                        shape.tp(),
                        shape.pp(),
                        hardware.usableMemGib(),
                        hardware.usableMemKey(),
                        hardware.bf16OrFp16Tflops().orElse(Double.NaN),
                        1 - utilization,
                        GlobalPolicy.ROUND_ROBIN,
                        0,
                        1,
                        1),
                isSglang(shape) ? sglang(deployment) : vllm(deployment),
                TimingSpec.of(shape.card()),
                longest,
                limit,
                Accident.NONE);
    }

    /** Whether the engine does prompts and decodes in steps of their own. */
    public static boolean isSglang(Shape shape) {
        return shape.kind() == Kind.SGLANG;
    }

    /** The share of memory that the engine takes; SGLang's is for weights and cache, and its own default leaves room for activations and graphs. */
    public static double share(Shape shape, HardwareCard hardware, double utilization) {
        return isSglang(shape)
                ? Math.min(
                        utilization,
                        SglangSettings.Defaults.of(hardware.memGb(), shape.tp(), shape.pp())
                                .memFractionStatic())
                : utilization;
    }

    private SchedulerSpec vllm(Deployment deployment) {
        return new SchedulerSpec.VllmV1(
                new SchedulerSpec.Limits(deployment.maxNumSeqs(), BLOCK, 0, 0),
                utilization,
                besideCache(model, hardware, deployment),
                deployment.maxNumBatchedTokens(),
                0,
                true,
                true,
                true,
                MODEL_RUNNER,
                true,
                Speculation.NONE,
                Acceptance.of(List.of()),
                false,
                lora,
                new KvLayers(model, BLOCK, true, 0, shape.tp(), longest).list(true),
                ContextSharding.NONE);
    }

    /** Bytes of a device that are for neither weights nor cache, as {@code vidur_sim} has them where nothing else is set. */
    public static long besideCache(ModelCard stored, HardwareCard hardware, Deployment deployment) {
        Shape shape = deployment.shape();
        return new ProfiledMemory(stored, hardware, shape.tp(), shape.pp())
                .bytes(deployment.maxNumBatchedTokens(), deployment.maxNumSeqs(), ProfiledMemory.Sampler.SELECT, true);
    }

    private SchedulerSpec sglang(Deployment deployment) {
        int tokens = deployment.maxNumBatchedTokens();
        return new SchedulerSpec.Sglang(
                new SchedulerSpec.Limits(deployment.maxNumSeqs(), 1, 0, 0),
                share(shape, hardware, utilization),
                model.maxPosition(),
                true,
                new SglangSettings(
                        tokens, tokens, 1, QueueOrder.Policy.FCFS, 1, true, RadixTree.Eviction.LRU, false, true, 0));
    }

    public Shape shape() {
        return shape;
    }

    public ModelCard model() {
        return model;
    }

    public EngineTimes times() {
        return times;
    }

    /**
     * Tokens that the cache holds under such limits of a batch; of layers with windows, those of longest sequences.
     *
     * @throws StageException when not even one sequence fits
     */
    public long kvTokens(Deployment deployment) {
        ServingSpec one = spec(deployment, 1, 0);
        MemoryPlan plan = MemoryPlan.of(one);
        return one.scheduler() instanceof SchedulerSpec.VllmV1 engine
                        && !engine.layers().isEmpty()
                ? plan.numBlocks() * longest / plan.blocksPerSequence()
                : plan.numBlocks() * one.scheduler().limits().blockSize();
    }

    /** Memory that a simulation of the caches of so many copies takes. */
    public double simulatedBytes(Deployment deployment, int replicas) {
        ServingSpec spec = spec(deployment, replicas, 0);
        return MemoryPlan.of(spec).simulatedBytes(spec);
    }

    /** LoRA adapters that a device has room for. */
    public int adapterSlots() {
        return lora.slots();
    }

    /** Bytes of a token in the cache, on all devices together: what several devices hold counts for each. */
    public double tokenBytes() {
        return tokenBytes;
    }

    /** Bytes of the weights, on all devices together. */
    public double weightBytes() {
        return weightBytes;
    }

    public HardwareCard hardware() {
        return hardware;
    }
}
