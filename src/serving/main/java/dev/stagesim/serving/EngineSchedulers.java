package dev.stagesim.serving;

import dev.stagesim.model.KeyRecord;
import dev.stagesim.serving.EngineChoice.Kind;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import dev.stagesim.sim.serving.spec.SchedulerSettings.Sglang;
import dev.stagesim.sim.serving.spec.SchedulerSettings.VllmV1;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Returns the default schedulers of engines. The engine names on cards equal the options of the configuration group
 * {@code scheduler}.
 */
public final class EngineSchedulers {
    /** Defaults of TensorRT-LLM; {@code configs/scheduler/trtllm.conf} has the same values and cites their source. */
    private static final Map<String, Object> TRTLLM = Map.of(
            "maxNumSeqs", Optional.of(2048),
            "maxNumBatchedTokens", Optional.of(8192),
            "blockSize", 32,
            "freeGpuMemoryFraction", Optional.of(0.9),
            "estimateGraphMemory", false);

    private EngineSchedulers() {}

    /**
     * Limits that override the limits of an engine; empty for its defaults.
     *
     * @param requests maximum requests of a step
     * @param tokens maximum tokens of a step
     * @param memory share of the device memory of the engine
     */
    public record Limits(Optional<Integer> requests, Optional<Integer> tokens, Optional<Double> memory) {}

    /** Returns the scheduler of an engine with its defaults. */
    public static SchedulerSettings of(String engine) {
        if (engine.startsWith("sglang")) {
            return KeyRecord.defaults(Sglang.class);
        }
        if (engine.startsWith("vllm_v0")) {
            return KeyRecord.defaults(SchedulerSpec.Vllm.class);
        }
        if (engine.startsWith("trtllm")) {
            return KeyRecord.of(VllmV1.class, TRTLLM);
        }
        return engine.startsWith("vllm")
                ? KeyRecord.defaults(VllmV1.class)
                : KeyRecord.defaults(SchedulerSpec.Sarathi.class);
    }

    /** Returns a scheduler of a prefill pool; context servers of TensorRT-LLM cannot overlap scheduling with steps. */
    public static SchedulerSettings inPrefillPool(String engine, SchedulerSettings scheduler) {
        return Kind.of(engine).equals(Optional.of(Kind.TRTLLM))
                        && scheduler instanceof VllmV1 vllm
                        && vllm.admission().asyncScheduling().isEmpty()
                ? KeyRecord.with(VllmV1.class, vllm, Map.of("asyncScheduling", Optional.of(false)))
                : scheduler;
    }

    /** Returns a scheduler whose engine places each expert on one device. */
    public static SchedulerSettings expertParallel(SchedulerSettings scheduler) {
        return with(scheduler, scheduler.getClass(), Map.of("enableExpertParallel", true));
    }

    /** Returns a scheduler with overridden limits. */
    public static SchedulerSettings with(SchedulerSettings scheduler, Limits limits) {
        Map<String, Object> changes = new LinkedHashMap<>();
        if (scheduler instanceof VllmV1 vllm) {
            limits.requests().ifPresent(limit -> changes.put("maxNumSeqs", Optional.of(limit)));
            limits.tokens().ifPresent(limit -> changes.put("maxNumBatchedTokens", Optional.of(limit)));
            boolean isOfFree = vllm.isTensorRt();
            limits.memory()
                    .ifPresent(share -> changes.put(
                            isOfFree ? "freeGpuMemoryFraction" : "gpuMemoryUtilization",
                            isOfFree ? Optional.of(share) : share));
            return KeyRecord.with(VllmV1.class, vllm, changes);
        }
        if (scheduler instanceof Sglang sglang) {
            limits.requests().ifPresent(limit -> changes.put("maxRunningRequests", Optional.of(limit)));
            limits.tokens().ifPresent(limit -> changes.put("chunkedPrefillSize", Optional.of(limit)));
            limits.tokens().ifPresent(limit -> changes.put("maxPrefillTokens", limit));
            limits.memory().ifPresent(share -> changes.put("memFractionStatic", Optional.of(share)));
            return KeyRecord.with(Sglang.class, sglang, changes);
        }
        limits.requests().ifPresent(limit -> changes.put("batchSizeCap", limit));
        if (scheduler instanceof SchedulerSpec.Sarathi sarathi) {
            limits.tokens().ifPresent(limit -> changes.put("chunkSize", limit));
            return KeyRecord.with(SchedulerSpec.Sarathi.class, sarathi, changes);
        }
        if (scheduler instanceof SchedulerSpec.Vllm vllm) {
            limits.tokens().ifPresent(limit -> changes.put("maxTokensInBatch", limit));
            return KeyRecord.with(SchedulerSpec.Vllm.class, vllm, changes);
        }
        return with(scheduler, scheduler.getClass(), changes);
    }

    private static SchedulerSettings with(SchedulerSettings scheduler, Class<?> type, Map<String, Object> changes) {
        Class<? extends Record> record = type.asSubclass(Record.class);
        return (SchedulerSettings) changed(record, (Record) scheduler, changes);
    }

    private static <R extends Record> R changed(Class<R> type, Record scheduler, Map<String, Object> changes) {
        return KeyRecord.with(type, type.cast(scheduler), changes);
    }

    /**
     * Returns the section {@code cluster} of one replica; the memory share applies to schedulers without their own key.
     */
    public static ClusterSettings cluster(int tensor, int stages, Optional<Double> memory) {
        Map<String, Object> given =
                new LinkedHashMap<>(Map.of("tensorParallelSize", tensor, "numPipelineStages", stages));
        memory.ifPresent(share -> given.put("memoryMarginFraction", 1 - share));
        return KeyRecord.of(ClusterSettings.class, given);
    }
}
