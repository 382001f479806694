package dev.stagesim.predict;

import java.util.Optional;

/**
 * Operator times of one model on one device at one tensor-parallel degree, in milliseconds per layer.
 *
 * <p>Implementations are immutable between revisions and thread-safe, and answer without allocating. Asking beyond {@link #coverage()}
 * throws {@link dev.stagesim.model.StageException} naming the operator, the key and the covered range.
 */
public interface OperatorTimes {
    /**
     * Time of an operator keyed by one number.
     *
     * @param operator one with key {@code TOKENS} or {@code REQUESTS}
     * @param count tokens or requests, at least 1
     */
    double milliseconds(Operator operator, int count);

    /**
     * Time of {@link Operator#ATTN_DECODE}.
     *
     * @param batch decoding requests, at least 1
     * @param kvTokens tokens per KV cache, already rounded to the predictor's granularity
     */
    double decodeMilliseconds(int batch, int kvTokens);

    /**
     * Time of {@link Operator#ATTN_PREFILL}.
     *
     * @param kvTokens tokens already cached, already rounded to the predictor's granularity
     * @param chunkTokens tokens of the (aggregated) chunk, at least 1
     */
    double prefillMilliseconds(int kvTokens, int chunkTokens);

    /** What an engine makes of the operators of a step; empty when steps are the sum of their operators. */
    default Optional<WholeStep> wholeStep() {
        return Optional.empty();
    }

    /** Returns what drafts add to a step; empty without speculative decoding. */
    default Optional<DraftTimes> drafts() {
        return Optional.empty();
    }

    /** Changes whenever times do that are keyed by tokens; where it never does, they are immutable. */
    default int revision() {
        return 0;
    }

    /** What engines compute together that run in step; empty when each runs by itself. */
    default Optional<SharedLayers> sharedLayers() {
        return Optional.empty();
    }

    /** The range of keys that can be asked for. */
    Coverage coverage();

    /**
     * Range of keys, all inclusive.
     *
     * @param maxTokens greatest token count of token-keyed operators
     * @param maxBatch greatest number of requests
     * @param maxKvTokens greatest KV length
     * @param maxChunkTokens greatest prefill chunk
     * @param kvGranularity KV lengths are multiples of this
     */
    record Coverage(int maxTokens, int maxBatch, int maxKvTokens, int maxChunkTokens, int kvGranularity) {}
}
