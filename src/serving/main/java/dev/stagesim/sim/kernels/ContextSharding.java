package dev.stagesim.sim.kernels;

/**
 * Context parallelism: distribution of the cached tokens of each sequence over devices, round robin in runs of {@code
 * interleave} tokens.
 *
 * @param decode devices of a tensor-parallel group that would otherwise contain copies of the same heads
 * @param prefill tensor-parallel groups that share prompts, each with all weights
 * @param interleave consecutive tokens on a device
 */
public record ContextSharding(int decode, int prefill, int interleave) {
    /** No context parallelism: every device contains all tokens. */
    public static final ContextSharding NONE = new ContextSharding(1, 1, 1);

    /** Returns the number of devices that share a sequence. */
    public int ranks() {
        return decode * prefill;
    }

    /** Returns the maximum number of a sequence's tokens on one device, which is the number on the first device. */
    int maxTokensPerDevice(int tokens) {
        int round = ranks() * interleave;
        return tokens / round * interleave + Math.min(tokens % round, interleave);
    }

    /** Returns the tokens of a prompt chunk that each group computes. */
    public int share(int tokens) {
        return (tokens + prefill - 1) / prefill;
    }
}
