package dev.stagesim.feature.reference;

import java.util.Arrays;
import java.util.function.LongSupplier;

/** Where the time of a step goes: every moment between two laps belongs to the part that the second one names. */
public final class StepClock {
    /** Parts of a step, in the order of the engine; operators are named as in profiling bundles. */
    public enum Part {
        /** Forming the batch. */
        SCHEDULE,
        /** Making room in the cache, looking up embeddings. */
        PREPARE_INPUTS,
        INPUT_LAYERNORM,
        ATTN_PRE_PROJ,
        /** Rotation by position, and the norms of queries and keys where the model has them. */
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
        /** Final norm, output head and choice of the next token of every request. */
        SAMPLER,
        /** Keeping the requests' accounts. */
        PROCESS_OUTPUTS
    }

    private static final int PARTS = Part.values().length;

    private final LongSupplier nanos;
    private final long[] step = new long[PARTS];
    private final long[] total = new long[PARTS];
    private final long[] least = new long[PARTS];
    private final long[] greatest = new long[PARTS];
    private final long[] count = new long[PARTS];
    private long last;

    /** A clock that reads the given nanoseconds. */
    public StepClock(LongSupplier nanos) {
        this.nanos = nanos;
        Arrays.fill(least, Long.MAX_VALUE);
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

    /** Ends a step: adds its parts to the sums. */
    void end() {
        for (int i = 0; i < PARTS; i++) {
            if (step[i] > 0) {
                total[i] += step[i];
                least[i] = Math.min(least[i], step[i]);
                greatest[i] = Math.max(greatest[i], step[i]);
                count[i]++;
            }
        }
    }

    /** Time of a part in the step that ended last, or is under way. */
    long step(Part part) {
        return step[part.ordinal()];
    }

    /** Time of a part in all steps. */
    public long total(Part part) {
        return total[part.ordinal()];
    }

    /** Shortest time of a part in a step that had it. */
    public long least(Part part) {
        return least[part.ordinal()];
    }

    /** Longest time of a part in a step. */
    public long greatest(Part part) {
        return greatest[part.ordinal()];
    }

    /** Steps that had a part. */
    public long count(Part part) {
        return count[part.ordinal()];
    }
}
