package dev.stagesim.sim.serving.request;

/**
 * An image, audio or video clip whose embeddings take the place of prompt tokens.
 *
 * @param id identity; equal items have equal embeddings
 * @param start position of its first place holder in the prompt
 * @param tokens number of place holders
 */
public record MediaItem(long id, int start, int tokens) {
    public int end() {
        return start + tokens;
    }
}
