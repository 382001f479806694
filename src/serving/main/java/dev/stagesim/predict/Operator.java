package dev.stagesim.predict;

import dev.stagesim.model.KeyNames;

/** Operators with predicted times. The names equal Vidur's profiling columns. */
public enum Operator {
    ATTN_PRE_PROJ(Key.TOKENS),
    ATTN_POST_PROJ(Key.TOKENS),
    ATTN_ROPE(Key.TOKENS),
    ATTN_KV_CACHE_SAVE(Key.TOKENS),
    MLP_UP_PROJ(Key.TOKENS),
    MLP_DOWN_PROJ(Key.TOKENS),
    MLP_ACT(Key.TOKENS),
    INPUT_LAYERNORM(Key.TOKENS),
    POST_ATTENTION_LAYERNORM(Key.TOKENS),
    ADD(Key.TOKENS),
    ALL_REDUCE(Key.TOKENS),
    SEND_RECV(Key.TOKENS),
    SCHEDULE(Key.REQUESTS),
    SAMPLER_E2E(Key.REQUESTS),
    PREPARE_INPUTS_E2E(Key.REQUESTS),
    PROCESS_MODEL_OUTPUTS(Key.REQUESTS),
    RAY_COMM_TIME(Key.REQUESTS),
    ATTN_PREFILL(Key.KV_AND_CHUNK),
    ATTN_DECODE(Key.BATCH_AND_KV);

    /** Quantities that determine the time of an operator. */
    public enum Key {
        TOKENS,
        REQUESTS,
        /** Tokens in the KV cache and tokens of the prefill chunk. */
        KV_AND_CHUNK,
        /** Number of decoding requests and mean tokens in their KV caches. */
        BATCH_AND_KV
    }

    private final Key key;

    Operator(Key key) {
        this.key = key;
    }

    public Key key() {
        return key;
    }

    /** Name in profiling files, for example {@code attn_pre_proj}. */
    public String column() {
        return KeyNames.constant(this);
    }
}
