package dev.stagesim.verify.fidelity;

/**
 * One sequence as llama-bench runs it. Its batch is of tokens, not of sequences: how much of a prompt is computed in a step. Devices hold some layers each;
 * the parts of a prompt follow one another through them.
 *
 * @param devices devices that hold some layers each
 * @param chunk tokens of a prompt in a step
 */
record LlamaBench(StaticBatch steps, int input, int devices, int chunk) {
    /** Tokens of a prompt that llama.cpp computes together, n_ubatch, unless it is told to take fewer. */
    private static final int DEFAULT_CHUNK = 512;

    static LlamaBench of(Row row, StaticBatch steps, int input) {
        // LLM-Inference-Bench 4211f5d, llama.cpp/H100: llama-bench -p input -n output -pg input,output -b batch
        int asked = row.source().startsWith("argonne") ? (int) row.load() : DEFAULT_CHUNK;
        return new LlamaBench(steps, input, Math.max(1, row.devices()), Math.min(DEFAULT_CHUNK, asked));
    }

    /** Milliseconds of the prompt: all parts on the first device, and the last one on the others. */
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
