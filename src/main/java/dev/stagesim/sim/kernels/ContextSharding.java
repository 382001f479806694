package dev.stagesim.sim.kernels;

/**
 * How the cached tokens of every sequence are dealt out to devices, so many in a row to each in turn.
 *
 * @param decode devices of a tensor-parallel group that would otherwise hold copies of the same heads
 * @param prefill tensor-parallel groups that share prompts, each with all weights
 * @param interleave tokens in a row on a device
 */
public record ContextSharding(int decode, int prefill, int interleave) {
    /** Every device holds all tokens. */
    public static final ContextSharding NONE = new ContextSharding(1, 1, 1);

    /** Devices over which the tokens of a sequence are spread. */
    public int ranks() {
        return decode * prefill;
    }

    /** Tokens of a sequence on the device that holds most of them, the first. */
    public int held(int tokens) {
        int round = ranks() * interleave;
        return tokens / round * interleave + Math.min(tokens % round, interleave);
    }

    /** Tokens of a prompt's part that each group computes. */
    public int share(int tokens) {
        return (tokens + prefill - 1) / prefill;
    }
}
