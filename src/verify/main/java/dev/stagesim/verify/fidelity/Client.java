package dev.stagesim.verify.fidelity;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Requests that the load generator of a published benchmark sends.
 *
 * @param requests requests of a run
 * @param steady true if only the time with all streams busy counts
 * @param streamTokens steps between transmissions to the client
 */
record Client(RequestLengths spread, int requests, boolean steady, int streamTokens) {
    private static final Pattern DAY = Pattern.compile("\\d{4}-\\d\\d-\\d\\d");

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

    /** Prompts per stream in InferenceX and in the vendor's scripts (ai-dynamo/dynamo, perf.sh). */
    static final int ROUNDS = 10;

    /** Steps between token transmissions of SGLang, and of TensorRT-LLM with DeepSeek, in InferenceX. */
    private static final double SENT_STEPS = 10;

    /** Minimum relative length in InferenceX (SemiAnalysisAI/InferenceX, benchmark_lib.sh). */
    static final double RANDOM_RATIO = 0.8;

    /** Whether the row is a run of InferenceX. */
    static boolean isRandom(Row row) {
        return row.note().startsWith("InferenceX");
    }

    /**
     * Maximum tokens of a step. InferenceX starts SGLang, and TensorRT-LLM with gpt-oss, with twice the default. The
     * vendor's runs, and runs of DeepSeek with TensorRT-LLM in InferenceX until 2025, have room for one prompt.
     */
    static int chunk(Row row, int usual) {
        boolean twice = row.setup().engine().equals("sglang")
                || (row.setup().engine().equals("trtllm") && row.setup().model().contains("gpt"));
        boolean vendor = row.note().startsWith("vendor");
        if (!row.load().input().matches("\\d+") || !(isRandom(row) || vendor)) {
            return usual;
        }
        int prompt = Integer.parseInt(row.load().input());
        if (isRandom(row)) {
            boolean one = row.setup().engine().equals("trtllm")
                    && row.setup().model().contains("DeepSeek")
                    && row.note().contains("2025-");
            return one ? prompt + (int) row.load().amount() : isLateVllm(row) ? 2 * prompt : twice ? 2 * usual : usual;
        }
        return Math.min(usual, prompt + (int) row.load().amount());
    }

    /** Tokens a second that the one process of ml.energy's client reads, on its machines with B200 and with H100. */
    static double mostTokensPerSecond(Row row) {
        return !row.origin().source().equals("mlenergy-v3")
                ? Double.POSITIVE_INFINITY
                : row.setup().gpu().startsWith("B200") ? 21_000 : 12_000;
    }

    /**
     * Steps between a request or token and who waits for it. In InferenceX, vLLM schedules a step ahead; SGLang sends
     * tokens every 10 steps and, with DeepSeek on Blackwell, looks for requests every 10 steps, or every 30 from 16
     * streams on.
     */
    static double waitedSteps(Row row) {
        if (!isRandom(row)) {
            return 0;
        }
        return switch (row.setup().engine()) {
            case "vllm_v1" -> 1;
            case "trtllm" -> waitedForOthers(row);
            case "sglang" ->
                SENT_STEPS
                        + (row.setup().gpu().startsWith("B")
                                        && row.setup().model().contains("DeepSeek")
                                ? (row.load().amount() < 16 ? 10 : 30) / 2.0
                                : 0);
            default -> 0;
        };
    }

    /**
     * Number of steps for which TensorRT-LLM delays prompts: 20, to collect short prompts of a model without experts on
     * fewer than 8 devices. DeepSeek's tokens are sent every 10 steps, and its attention copies wait up to 60 steps for
     * each other.
     */
    private static double waitedForOthers(Row row) {
        if (row.setup().model().contains("DeepSeek")) {
            return SENT_STEPS + (row.groups().copies() > 1 ? 60 / 2.0 : 0);
        }
        boolean gathered = row.load().input().equals("1024")
                && row.load().output() == 1024
                && row.groups().tensor() < 8;
        return gathered && !row.setup().model().contains("gpt") ? 20 : 0;
    }

    /**
     * Since April 2026 vLLM on Blackwell has steps of two prompts and an 8-bit KV cache. With 8-bit weights on B200 its
     * script sets this from 3 April; other rows show it from 8 April.
     */
    static boolean isLateVllm(Row row) {
        String first =
                row.setup().gpu().startsWith("B200") && row.setup().dtype().equals("fp8") ? "2026-04-03" : "2026-04-08";
        Matcher day = DAY.matcher(row.note());
        return row.setup().engine().equals("vllm_v1")
                && row.setup().gpu().startsWith("B")
                && day.find()
                && day.group().compareTo(first) >= 0;
    }

    /** Client with streams that wait for their answers. */
    static Client closed(Row row, Script script, int input, int streams) {
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
            return new Client(spread, Math.max(2 * streams, Math.min(requests, 12 * streams)), steady, 1);
        }
        return new Client(
                RequestLengths.even(input, output, isRandom(row) ? RANDOM_RATIO : 1, 1),
                ROUNDS * streams,
                false,
                script.streamTokens());
    }
}
