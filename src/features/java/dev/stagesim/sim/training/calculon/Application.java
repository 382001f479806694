package dev.stagesim.sim.training.calculon;

/**
 * A dense transformer.
 *
 * @param hidden width of the residual stream
 * @param feedForward width of the feed-forward network
 * @param sequence tokens of a sequence
 * @param heads attention heads
 * @param headSize width of a head
 * @param blocks transformer blocks
 */
public record Application(long hidden, long feedForward, long sequence, long heads, long headSize, long blocks) {
    /** Parameters with biases, norms and an embedding of 51,200 words and all positions. */
    public long parameters() {
        long block = 2 * hidden * feedForward + 4 * hidden * heads * headSize + hidden + feedForward;
        block += 3 * heads * headSize + hidden + 4 * hidden;
        return block * blocks + (51_200 + sequence) * hidden;
    }
}
