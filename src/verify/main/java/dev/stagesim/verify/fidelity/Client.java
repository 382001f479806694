package dev.stagesim.verify.fidelity;

import dev.stagesim.verify.fidelity.lengths.LengthDistribution;
import dev.stagesim.verify.fidelity.lengths.RequestLengths;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Requests that the load generator of a published benchmark sends.
 *
 * @param requests requests of a run
 * @param steady true if only the time with all streams busy counts
 * @param script transmissions to the client and drafts
 * @param admission when the engine takes arrived requests
 * @param coldSeconds time until the engine runs its first prompts
 * @param coldSingleSeconds additional time of the first prompt after the first wave
 * @param isRepeated whether the engine computed the prompts in an earlier run and still caches them
 */
record Client(
        RequestLengths spread,
        int requests,
        boolean steady,
        Script script,
        AdmissionGate.Rule admission,
        double coldSeconds,
        double coldSingleSeconds,
        boolean isRepeated) {
    /**
     * Mean prompt tokens of the tasks of ml.energy, from the notes on the data. The value of sourcegraph-fim is chosen
     * to match the tails of the token gaps.
     */
    static final Map<String, Integer> PROMPTS =
            Map.of("lm-arena-chat", 200, "chat", 200, "gpqa", 260, "sourcegraph-fim", 1500, "code", 180);

    /**
     * Requests of a task in ml.energy's benchmarks (ml-energy/benchmark c1d6557, configs; b10121d, load_sharegpt and
     * load_evalplus).
     */
    private static final Map<String, Integer> REQUESTS =
            Map.of("lm-arena-chat", 1024, "gpqa", 198, "sourcegraph-fim", 1024, "chat", 2000, "code", 3280);

    /** Maximum output tokens by task. */
    private static final Map<String, Integer> MAX_BATCHED_TOKENS =
            Map.of("lm-arena-chat", 4096, "sourcegraph-fim", 2048, "chat", 1024, "code", 512);

    /**
     * Mean outputs of dstack's runs relative to the stated maximum, by lengths. Prompts are constant, and the model ends its
     * outputs (dstackai/benchmarks 06c957a, comparison/pd_ratio, results.csv; Apache-2.0).
     */
    private static final Map<String, Double> DSTACK_OUTPUTS =
            Map.of("128/2048", 0.324, "2048/2048", 0.337, "2048/128", 0.471, "32784/2048", 0.647, "2048/32784", 0.285);

    /** Streams of dstack's first run of each setting. The next runs send the same 500 prompts. */
    private static final int DSTACK_FIRST_STREAMS = 128;

    /** Maximum length of 500 prompts that fit the KV cache of dstack's engines. */
    private static final int DSTACK_CACHED_PROMPT = 2048;

    /** Prompt tokens of a step beyond one prompt in the vendor's generated commands. */
    private static final int GENERATED_PREFILL_TOKENS = 1500;

    /** Prompts per stream in InferenceX and in the vendor's scripts (ai-dynamo/dynamo, perf.sh). */
    static final int ROUNDS = 10;

    /** Prompt and output lengths of InferenceX. */
    private static final Set<String> LENGTHS = Set.of("1024/1024", "1024/8192", "8192/1024");

    /** Minimum relative length in InferenceX (SemiAnalysisAI/InferenceX, benchmark_lib.sh). */
    static final double RANDOM_RATIO = 0.8;

    /** Whether the row is a run of InferenceX. Rows that repeat its lengths and values as runs of the vendor are, too. */
    static boolean isRandom(Row row) {
        String lengths = row.load().input() + "/" + row.load().output();
        return row.note().startsWith("InferenceX") || (row.note().startsWith("vendor") && LENGTHS.contains(lengths));
    }

    /**
     * Maximum tokens of a step. InferenceX starts SGLang, and TensorRT-LLM with gpt-oss, with larger steps. The vendor's runs,
     * and runs of DeepSeek with TensorRT-LLM in InferenceX until 2025 or with drafts, have room for one prompt.
     */
    static int chunk(Row row, int usual) {
        if (!row.load().input().matches("\\d+") || !(isRandom(row) || isVendor(row))) {
            return usual;
        }
        int prompt = Integer.parseInt(row.load().input());
        int one = prompt + (int) row.load().amount();
        String model = row.setup().model();
        if (isVendor(row)) {
            return generatedPrefillTokens(row).isPresent() ? usual : Math.min(usual, one);
        }
        if (row.setup().engine().equals("sglang")) {
            return model.contains("DeepSeek") ? Script.sglangTokens(row) : 2 * usual;
        }
        if (row.setup().engine().equals("trtllm")) {
            boolean isOne = model.contains("DeepSeek")
                    && (row.note().contains("2025-") || row.note().contains("; mtp;"));
            return isOne ? one : model.contains("gpt") ? 2 * usual : Math.max(usual, one);
        }
        return isLateVllm(row) ? 2 * prompt : usual;
    }

    /**
     * Returns the ratio of the prompt tokens of the server to the stated ones. The client of InferenceX used a broken tokenizer
     * for DeepSeek with Transformers 5, which the images of SGLang from 0.5.10 on contain, until 15 May 2026: the text of its
     * random prompts had about five times as many tokens for the server (SemiAnalysisAI/InferenceX 5fe6d56).
     */
    static int promptFactor(Row row) {
        String day = Script.day(row);
        boolean isBroken = isRandom(row)
                && row.setup().engine().equals("sglang")
                && row.setup().model().contains("DeepSeek")
                && !row.setup().gpu().startsWith("MI")
                && !row.note().contains("dynamo")
                && day.compareTo("2026-04") >= 0
                && day.compareTo("2026-05-15") < 0;
        return isBroken ? 5 : 1;
    }

    /**
     * Returns the maximum prompt tokens of a step of SGLang in a command that the vendor generated for one engine. Its steps
     * with prompts also contain decodes (ai-dynamo/aiconfigurator 1089dfa, rule_plugin/sglang.rule). Empty for other rows.
     */
    static Optional<Integer> generatedPrefillTokens(Row row) {
        boolean isGenerated = isVendor(row)
                && row.setup().engine().equals("sglang")
                && Pool.Split.of(row).isEmpty();
        return isGenerated
                ? Optional.of(Integer.parseInt(row.load().input()) + GENERATED_PREFILL_TOKENS)
                : Optional.empty();
    }

    private static boolean isVendor(Row row) {
        return row.note().startsWith("vendor")
                && !isRandom(row)
                && row.load().input().matches("\\d+");
    }

    /** Tokens a second that the one process of ml.energy's client reads, on its machines with B200 and with H100. */
    static double mostTokensPerSecond(Row row) {
        return !row.origin().source().equals("mlenergy-v3")
                ? Double.POSITIVE_INFINITY
                : row.setup().gpu().startsWith("B200") ? 21_000 : 12_000;
    }

    /** Steps between a request and its result that the simulation does not have: in InferenceX, vLLM schedules a step ahead. */
    static double waitedSteps(Row row) {
        return isRandom(row) && row.setup().engine().equals("vllm_v1") ? 1 : 0;
    }

    /**
     * Since April 2026 vLLM on Blackwell has steps of two prompts and an 8-bit KV cache. With 8-bit weights on B200 its
     * script sets this from 3 April; other rows show it from 8 April.
     */
    static boolean isLateVllm(Row row) {
        String first =
                row.setup().gpu().startsWith("B200") && row.setup().dtype().equals("fp8") ? "2026-04-03" : "2026-04-08";
        return row.setup().engine().equals("vllm_v1")
                && row.setup().gpu().startsWith("B")
                && Script.day(row).compareTo(first) >= 0;
    }

    /**
     * Returns the number of different prompts of a client that repeats them, or 0 if it does not. inference-perf with a shared
     * prefix generates prompts for 5 users of each of 9 groups and sends them in turn for 10 minutes
     * (kubernetes-sigs/inference-perf 0ba9ace, shared_prefix_datagen; inference-sim/inference-sim f90a1e3, examples).
     */
    static int repeatedPrompts(Row row) {
        return row.note().contains("shared prefix") ? 45 : 0;
    }

    /** Client with streams that wait for their answers. */
    static Client closed(Row row, Script script, AdmissionGate.Rule admission, int input, int streams) {
        int output = row.load().output();
        if (row.load().kind().equals("max_num_seqs")) {
            LengthDistribution prompts =
                    row.load().input().contains("chat") ? LengthDistribution.LONG_TAIL : LengthDistribution.HUMP;
            Integer max = MAX_BATCHED_TOKENS.get(row.load().input());
            LengthDistribution answers = max == null
                    ? LengthDistribution.even(0.5, 1.5)
                    : LengthDistribution.exponential((double) max / output);
            RequestLengths spread = new RequestLengths(input, output, prompts, answers);
            int requests = REQUESTS.getOrDefault(row.load().input(), ROUNDS * streams);
            boolean steady = row.origin().source().equals("mlenergy-v3");
            return new Client(
                    spread,
                    Math.max(2 * streams, Math.min(requests, 12 * streams)),
                    steady,
                    script,
                    AdmissionGate.Rule.IMMEDIATE,
                    0,
                    0,
                    false);
        }
        return new Client(
                lengths(row, input, output),
                row.noted("num_prompts", ROUNDS * streams),
                false,
                script,
                admission,
                Script.coldSeconds(row),
                Script.compilesBySize(row) ? Script.coldSeconds(row) : 0,
                isDstack(row) && streams < DSTACK_FIRST_STREAMS && input <= DSTACK_CACHED_PROMPT);
    }

    private static RequestLengths lengths(Row row, int input, int output) {
        Double share = isDstack(row) ? DSTACK_OUTPUTS.get(input + "/" + output) : null;
        if (share == null) {
            return RequestLengths.even(input, output, isRandom(row) ? RANDOM_RATIO : 1, 1);
        }
        return new RequestLengths(
                input,
                (int) Math.round(share * output),
                LengthDistribution.even(1, 1),
                LengthDistribution.exponential(1 / share));
    }

    /** Whether the row is a run of dstack with separate prefill workers on a machine with eight devices. */
    static boolean isDstack(Row row) {
        return row.origin().source().equals("dstack-pd-ratio");
    }

    /** Returns a recorder of the gaps between transmissions. */
    GapRecorder gaps() {
        return new GapRecorder(script.streamTokens(), script.isByLength());
    }

    /** Returns the tokens of a prompt that the engine computes. */
    int computed(int promptTokens) {
        return isRepeated ? 1 : promptTokens;
    }
}
