package dev.stagesim.sim.serving.request;

import java.util.List;

/**
 * The immutable properties of a request.
 *
 * @param index number of the request, unique in a run
 * @param name name, which orders requests of equal priority and arrival
 * @param promptTokens length of the prompt
 * @param output end of the output
 * @param urgency order among requests
 * @param identity identity of its tokens
 */
public record RequestSpec(int index, String name, int promptTokens, Output output, Urgency urgency, Identity identity) {
    /** Output position for "never". */
    public static final int NEVER = -1;

    public RequestSpec {
        if (promptTokens < 1) {
            throw new IllegalArgumentException(name + ": a prompt has at least one token");
        }
    }

    /**
     * The condition that ends the output.
     *
     * @param maxTokens maximum output tokens
     * @param minTokens output tokens before which neither end nor stop tokens count
     * @param endAt output position, from 0, of the end token, or {@link #NEVER}
     * @param stopAt output position of a stop token, or {@link #NEVER}
     */
    public record Output(int maxTokens, int minTokens, int endAt, int stopAt) {
        /** Returns an output of exactly {@code tokens} tokens. */
        public static Output of(int tokens) {
            return new Output(tokens, 0, NEVER, NEVER);
        }
    }

    /**
     * The order among requests.
     *
     * @param priority lower values run first
     * @param arrivalTime earlier requests of equal priority run first, in any unit
     */
    public record Urgency(int priority, double arrivalTime) {}

    /**
     * The identity of the tokens.
     *
     * @param tokens prompt and output
     * @param salt distinguishes prompts that may not share a cache, or 0
     * @param adapter number of the LoRA adapter, or 0 if it has none
     * @param readsCache whether it may use cached tokens of other requests
     * @param media items in the prompt, by position
     */
    public record Identity(Tokens tokens, long salt, int adapter, boolean readsCache, List<MediaItem> media) {
        public Identity {
            media = List.copyOf(media);
        }
    }
}
