package dev.stagesim.serving;

import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.kernels.ProfiledMemory;
import dev.stagesim.sim.serving.settings.BatchDefaults;
import dev.stagesim.sim.serving.spec.MemoryPlan;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.sim.serving.spec.ServingSpec;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The memory of a deployment: its parts on each device, and the contexts and numbers of requests that fit. The
 * memory plan of the simulations computes them.
 */
public final class MemoryFit {
    /** Largest tensor parallelism that is tried. */
    private static final int MAX_TENSOR = 128;

    private static final double BYTES_PER_GIB = 1L << 30;

    private final ReplicaModel replica;

    /**
     * Creates the memory of a deployment.
     *
     * @throws StageException (input) if engines refuse the replica
     */
    public MemoryFit(ReplicaModel replica) {
        StageException.refuse(replica.engineProblems());
        this.replica = replica;
    }

    /** Returns warnings about checkpoints that engines refuse. */
    public List<String> warnings() {
        return EngineChecks.warnings(replica);
    }

    /** The parts of a device's memory, in order of display. */
    public enum Part {
        WEIGHTS("weights"),
        KV_CACHE("KV cache"),
        ADAPTERS("LoRA adapters"),
        ACTIVATIONS("activations"),
        GRAPHS("CUDA graphs"),
        LIBRARIES("libraries"),
        RESERVE("reserve");

        private final String words;

        Part(String words) {
            this.words = words;
        }

        /** Returns the name in texts. */
        public String words() {
            return words;
        }
    }

    /** Returns the specification for sequences of at most {@code context} tokens. */
    public ServingSpec spec(int context) {
        return of(context).spec();
    }

    private ReplicaModel of(int context) {
        return KeyRecord.with(ReplicaModel.class, replica, Map.of("maxTokens", Optional.of(context)));
    }

    /** Returns the tokens in the KV caches of all engines; 0 if not even one sequence fits. */
    public long kvTokens(int context) {
        return plan(context).isPresent() ? of(context).kvTokens() * engines() : 0;
    }

    /** Returns the engines with a separate KV cache. */
    public int engines() {
        return spec(1).cluster().replicas();
    }

    /** Returns the number of devices of the deployment. */
    public int devices() {
        return engines()
                * replica.devices()
                * replica.scheduler().contextSharding().prefill();
    }

    /** Returns the memory plan for a context; empty if not even one sequence fits. */
    public Optional<MemoryPlan> plan(int context) {
        try {
            return Optional.of(MemoryPlan.of(spec(context)));
        } catch (StageException noRoom) {
            return Optional.empty();
        }
    }

    /**
     * Returns the bytes of a device by purpose. SGLang and Vidur's policies reserve a share of the device for
     * activations, graphs and libraries together, which is the reserve here.
     */
    public Map<Part, Long> parts(int context) {
        ServingSpec spec = spec(context);
        MemoryPlan.Demand demand = MemoryPlan.demand(spec);
        Map<Part, Long> parts = new LinkedHashMap<>();
        parts.put(Part.WEIGHTS, demand.weightBytes());
        long blocks = plan(context).map(MemoryPlan::numBlocks).orElse(0L);
        parts.put(Part.KV_CACHE, (long) (blocks * demand.blockBytes()));
        spec.scheduler().memory().ifPresent(memory -> parts.put(Part.ADAPTERS, memory.adapterBytes()));
        if (spec.scheduler() instanceof SchedulerSpec.VllmV1 engine
                && replica.scheduler() instanceof SchedulerSettings.VllmV1 settings) {
            BatchDefaults step = new BatchDefaults(
                    engine.settings().tokens().batched(), engine.settings().maxNumSeqs());
            ProfiledMemory.Parts profiled =
                    ServingSpecs.profiled(settings, step, replica.hardware(), replica.model(), replica.cluster());
            parts.put(Part.ACTIVATIONS, profiled.activations());
            parts.put(Part.GRAPHS, profiled.graphs());
            parts.put(Part.LIBRARIES, profiled.libraries());
        }
        long used = parts.values().stream().mapToLong(Long::longValue).sum();
        parts.put(Part.RESERVE, (long) (spec.cluster().memoryGib() * BYTES_PER_GIB) - used);
        parts.values().removeIf(bytes -> bytes == 0);
        return parts;
    }

    /** Returns the maximum number of requests of {@code context} tokens that fit in the KV caches; 0 if none fits. */
    public long maxConcurrency(int context) {
        return plan(context)
                .map(plan -> {
                    ServingSpec spec = spec(context);
                    long free = plan.numBlocks() - withheld(spec.scheduler(), plan.watermarkBlocks());
                    return MemoryPlan.demand(spec).sequences(Math.max(0, free))
                            * spec.cluster().replicas();
                })
                .orElse(0L);
    }

    /**
     * Returns the concurrency that vLLM logs at start-up for one engine; empty if it equals that of the KV cache. With
     * attention windows, it assumes that every request has the largest chunk of its prompt in flight.
     */
    public Optional<Double> engineConcurrency(int context) {
        MemoryPlan.Demand demand = MemoryPlan.demand(spec(context));
        return demand.heldBlocks() == demand.blocksPerSequence()
                ? Optional.empty()
                : plan(context).map(plan -> (double) plan.numBlocks() / plan.blocksPerSequence());
    }

    /** Returns the blocks that an engine never gives to a request. */
    private static long withheld(SchedulerSpec scheduler, long watermark) {
        if (scheduler instanceof SchedulerSpec.Sglang) {
            return 2; // a request must leave more than one page
        }
        if (scheduler instanceof SchedulerSpec.VllmV1 || scheduler instanceof SchedulerSpec.LightLlm) {
            return 1;
        }
        return scheduler.preempts() ? watermark : 0;
    }

    /** Returns the maximum number of requests that the engines run at the same time. */
    public long requestLimit(int context) {
        ServingSpec spec = spec(context);
        long limit = spec.scheduler() instanceof SchedulerSpec.Sglang engine
                ? plan(context).map(engine::maxRunning).orElse(0)
                : spec.scheduler().limits().batchSizeCap();
        return limit * spec.cluster().replicas();
    }

    /** Returns the maximum context, at most {@code longest}, that lets {@code concurrency} requests fit; 0 if absent. */
    public int maxContext(long concurrency, int longest) {
        int low = 0;
        int high = longest;
        while (low < high) {
            int middle = low + (int) (((long) high - low + 1) / 2);
            if (maxConcurrency(middle) >= concurrency) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    /** Returns the bytes that each device lacks for {@code concurrency} requests of {@code context} tokens. */
    public long missingBytes(int context, long concurrency) {
        if (maxConcurrency(context) >= concurrency) {
            return 0;
        }
        ServingSpec spec = spec(context);
        MemoryPlan.Demand demand = MemoryPlan.demand(spec);
        int engines = spec.cluster().replicas();
        long perEngine = (concurrency + engines - 1) / engines;
        double blocks = (double) demand.blocks(perEngine) + withheld(spec.scheduler(), 0);
        return Math.max(
                1, (long) Math.ceil(demand.weightBytes() + blocks * demand.blockBytes() - demand.usableBytes()));
    }

    /**
     * Returns the smallest tensor parallelism above the deployment's, a power of two, that lets {@code concurrency}
     * requests of {@code context} tokens fit; empty if absent.
     */
    public OptionalInt fittingTensorParallel(int context, long concurrency) {
        int given = replica.cluster().tensorParallelSize();
        for (int tensor = Integer.highestOneBit(given) * 2; tensor <= MAX_TENSOR; tensor *= 2) {
            ClusterSettings wider =
                    KeyRecord.with(ClusterSettings.class, replica.cluster(), Map.of("tensorParallelSize", tensor));
            ReplicaModel candidate = KeyRecord.with(ReplicaModel.class, replica, Map.of("cluster", wider));
            if (candidate.problems().isEmpty() && new MemoryFit(candidate).maxConcurrency(context) >= concurrency) {
                return OptionalInt.of(tensor);
            }
        }
        return OptionalInt.empty();
    }
}
