package dev.stagesim.predict;

import java.util.Optional;

/**
 * Operator times of one model on one device at one tensor-parallel degree, in milliseconds per layer.
 *
 * <p>Implementations are immutable between revisions, thread-safe, and do not allocate per query. A query beyond {@link
 * #coverage()} throws {@link dev.stagesim.model.StageException} with the operator, the key and the covered range.
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
     * @param kvTokens tokens per KV cache, rounded to the predictor's granularity
     */
    double decodeMilliseconds(int batch, int kvTokens);

    /**
     * Time of {@link Operator#ATTN_PREFILL}.
     *
     * @param kvTokens cached tokens, rounded to the predictor's granularity
     * @param chunkTokens tokens of the (aggregated) chunk, at least 1
     */
    double prefillMilliseconds(int kvTokens, int chunkTokens);

    /**
     * Time by which a chunk extends a kernel that computes several chunks and fills the device. By default, chunks are
     * computed one after another.
     */
    default double addedPrefillMilliseconds(int kvTokens, int chunkTokens) {
        return prefillMilliseconds(kvTokens, chunkTokens);
    }

    /** Fixed time of a kernel that computes several chunks, in addition to the times of {@link #addedPrefillMilliseconds}. */
    default double prefillKernelMilliseconds() {
        return 0;
    }

    /** Model of a whole step; empty if the time of a step is the sum of its operators. */
    default Optional<WholeStep> wholeStep() {
        return Optional.empty();
    }

    /** Additional time of drafts; empty without speculative decoding. */
    default Optional<DraftTimes> drafts() {
        return Optional.empty();
    }

    /** Revision of the times keyed by tokens; constant if they are immutable. */
    default int revision() {
        return 0;
    }

    /** Work that lockstep engines share; empty if each engine steps independently. */
    default Optional<SharedLayers> sharedLayers() {
        return Optional.empty();
    }

    /** The range of valid keys. */
    Coverage coverage();

    /**
     * Inclusive ranges of keys.
     *
     * @param maxTokens maximum of token-keyed operators
     * @param maxBatch maximum number of requests
     * @param maxKvTokens maximum KV length
     * @param maxChunkTokens maximum prefill chunk
     * @param kvGranularity KV lengths are multiples of this
     */
    record Coverage(int maxTokens, int maxBatch, int maxKvTokens, int maxChunkTokens, int kvGranularity) {}
}
