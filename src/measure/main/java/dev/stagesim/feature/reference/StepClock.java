package dev.stagesim.feature.reference;

import java.util.Arrays;
import java.util.function.LongSupplier;

/** Measures the parts of a step. The time between two laps belongs to the part of the second lap. */
final class StepClock {
    /** Parts of a step in execution order. Operators have the names of profiling bundles. */
    enum Part {
        /** Forming the batch. */
        SCHEDULE,
        /** Allocation of cache blocks, embedding lookup. */
        PREPARE_INPUTS,
        INPUT_LAYERNORM,
        ATTN_PRE_PROJ,
        /** Rotary positions and, if the model has them, norms of queries and keys. */
        ATTN_ROPE,
        ATTN_KV_CACHE_SAVE,
        ATTN_PREFILL,
        ATTN_DECODE,
        ATTN_POST_PROJ,
        POST_ATTENTION_LAYERNORM,
        MLP_UP_PROJ,
        MLP_ACT,
        MLP_DOWN_PROJ,
        /** Both residual additions of a layer. */
        ADD,
        /** Final norm, output head and selection of the next tokens. */
        SAMPLER,
        /** Update of the requests. */
        PROCESS_OUTPUTS
    }

    private static final int PARTS = Part.values().length;

    private final LongSupplier nanos;
    private final long[] step = new long[PARTS];
    private final long[] total = new long[PARTS];
    private final long[] min = new long[PARTS];
    private final long[] max = new long[PARTS];
    private final long[] count = new long[PARTS];
    private long last;

    /** Creates a clock that reads {@code nanos}. */
    StepClock(LongSupplier nanos) {
        this.nanos = nanos;
        Arrays.fill(min, Long.MAX_VALUE);
    }

    /** Begins a step. */
    void begin() {
        Arrays.fill(step, 0);
        last = nanos.getAsLong();
    }

    void lap(Part part) {
        long now = nanos.getAsLong();
        step[part.ordinal()] += now - last;
        last = now;
    }

    /** Ends a step and adds its parts to the totals. */
    void end() {
        for (int i = 0; i < PARTS; i++) {
            if (step[i] > 0) {
                total[i] += step[i];
                min[i] = Math.min(min[i], step[i]);
                max[i] = Math.max(max[i], step[i]);
                count[i]++;
            }
        }
    }

    /** Returns the time of a part in the current or last step. */
    long step(Part part) {
        return step[part.ordinal()];
    }

    /** Returns the time of a part in all steps. */
    long total(Part part) {
        return total[part.ordinal()];
    }

    /** Returns the minimum time of a part over the steps that contain it. */
    long min(Part part) {
        return min[part.ordinal()];
    }

    /** Returns the maximum time of a part in a step. */
    long max(Part part) {
        return max[part.ordinal()];
    }

    /** Returns the number of steps that contain a part. */
    long count(Part part) {
        return count[part.ordinal()];
    }
}
