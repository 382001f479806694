package dev.stagesim.sim.serving.request;

import java.util.List;

/**
 * What a request asks for; nothing here changes while it runs.
 *
 * @param index number of the request, unique in a run
 * @param name what it is called; decides between requests of equal priority and arrival
 * @param promptTokens length of the prompt
 * @param output when the output ends
 * @param urgency its place among others
 * @param identity what its tokens are
 */
public record RequestSpec(int index, String name, int promptTokens, Output output, Urgency urgency, Identity identity) {
    /** The output position that stands for "never". */
    public static final int NEVER = -1;

    public RequestSpec {
        if (promptTokens < 1) {
            throw new IllegalArgumentException(name + ": a prompt has at least one token");
        }
    }

    /**
     * When the output ends.
     *
     * @param maxTokens most output tokens
     * @param minTokens output tokens before which neither end nor stop tokens count
     * @param endAt output position, from 0, at which the end token comes, or {@link #NEVER}
     * @param stopAt output position at which a stop token comes, or {@link #NEVER}
     */
    public record Output(int maxTokens, int minTokens, int endAt, int stopAt) {
        /** An output of exactly {@code tokens} tokens. */
        public static Output of(int tokens) {
            return new Output(tokens, 0, NEVER, NEVER);
        }
    }

    /**
     * Its place among others.
     *
     * @param priority smaller is sooner
     * @param arrivalTime earlier is sooner among equal priorities, in any unit
     */
    public record Urgency(int priority, double arrivalTime) {}

    /**
     * What the tokens are.
     *
     * @param tokens prompt and output
     * @param salt tells apart prompts that may not share a cache; 0 is none
     * @param adapter number of the LoRA adapter, 0 is none
     * @param readsCache whether it may use what others computed
     * @param media items in the prompt, by position
     */
    public record Identity(Tokens tokens, long salt, int adapter, boolean readsCache, List<MediaItem> media) {
        public Identity {
            media = List.copyOf(media);
        }

        public static Identity of(Tokens tokens) {
            return new Identity(tokens, 0, 0, true, List.of());
        }
    }
}
