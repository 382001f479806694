package dev.stagesim.verify.fidelity;

/**
 * One sequence in llama-bench. A batch is a number of tokens of one prompt per step, not a number of sequences. Each device
 * has some of the layers, and the parts of a prompt pass through the devices in a pipeline.
 *
 * @param devices devices with some of the layers
 * @param chunk prompt tokens per step
 */
record LlamaBench(StaticBatch steps, int input, int devices, int chunk) {
    /** Default of n_ubatch, the prompt tokens that llama.cpp computes in one step. */
    private static final int DEFAULT_CHUNK = 512;

    static LlamaBench of(Row row, StaticBatch steps, int input) {
        // LLM-Inference-Bench 4211f5d, llama.cpp/H100: llama-bench -p input -n output -pg input,output -b batch
        int tokensPerStep =
                row.origin().source().startsWith("argonne") ? (int) row.load().amount() : DEFAULT_CHUNK;
        return new LlamaBench(
                steps, input, Math.max(1, row.groups().devices()), Math.min(DEFAULT_CHUNK, tokensPerStep));
    }

    /** Returns the milliseconds of the prompt: all parts on the first device, and the last part on the remaining devices. */
    double promptMs() {
        double sum = 0;
        double last = 0;
        for (int done = 0; done < input; done += chunk) {
            int tokens = Math.min(chunk, input - done);
            last = tokens == 1 ? steps.decodeMs(1, done) : steps.mixedMs(0, 0, tokens, done, 1);
            sum += last;
        }
        return (sum + (devices - 1) * last) / devices;
    }

    double wholeMs(int output) {
        return promptMs() + output * steps.meanDecodeMs(1);
    }
}
