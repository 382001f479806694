package dev.stagesim.sim.serving.request;

/**
 * An image, audio or video clip. Its embeddings replace prompt tokens.
 *
 * @param id identity; equal items have equal embeddings
 * @param start position of its first placeholder in the prompt
 * @param tokens number of placeholders
 */
public record MediaItem(long id, int start, int tokens) {
    public int end() {
        return start + tokens;
    }
}
