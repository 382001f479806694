package dev.stagesim.verify.fidelity;

import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Server settings of a run that its row does not state, from the scripts and recipes of the benchmark at the date of the
 * run (SemiAnalysisAI/InferenceX 843c625 and its history, Apache-2.0).
 *
 * @param streamTokens steps or tokens between transmissions to the client
 * @param drafts draft tokens of a request in a step; 0 without speculative decoding
 * @param isByLength whether transmissions depend on the exact number of tokens of a request, which steps with drafts can skip
 */
record Script(int streamTokens, int drafts, boolean isByLength) {
    private static final Pattern DAY = Pattern.compile("\\d{4}-\\d\\d-\\d\\d");

    /**
     * Acceptance of a draft token of multi-token prediction if the previous ones are accepted, for random prompts: the tokens
     * of a transmission per step in runs that state both. Published rates are for text.
     */
    static final List<Double> ACCEPTANCE = List.of(0.70, 0.60, 0.50);

    /** Maximum steps that attention replicas of TensorRT-LLM wait for each other's prompts. */
    private static final int MAX_WAIT_STEPS = 60;

    /** Steps for which TensorRT-LLM collects short prompts. */
    private static final int GATHERING_STEPS = 20;

    /** Maximum streams with which SGLang with 4-bit weights on MI355X has steps for several prompts of 8,192 tokens. */
    private static final int MAX_STREAMS_OF_LARGE_STEPS = 32;

    /** Default of SGLang for the maximum number of requests with drafts. */
    private static final int DRAFTED_REQUESTS = 48;

    /** Streams per attention replica from which scripts of TensorRT-LLM use one draft instead of three. */
    private static final int MANY_STREAMS = 16;

    /** Block-scaled 8-bit kernels on AMD devices; fitted to the 99th percentile of TTFT, which the first prompts determine. */
    private static final double ROCM_COLD_SECONDS = 2;

    private static final double SGLANG_COLD_SECONDS = 0.4;

    /**
     * Rate of FlashInfer's products with weights in FP8 blocks on Blackwell, relative to DeepGEMM's: 1,024 more rows by 24,576
     * x 7,168 take 806 us (sgl-project/sglang change 13528), 0.1 of the peak.
     */
    static final double FLASH_INFER_BLOCKS = 0.155;

    /** Only for latent attention; other models have nothing to prepare. */
    private static final double TRTLLM_COLD_SECONDS = 0.2;

    static Script of(Row row, Optional<Pool> decode) {
        boolean isDrafted = row.note().contains("; mtp;");
        return new Script(
                streamTokens(row, decode),
                isDrafted ? drafts(row, decode) : 0,
                isDrafted && row.setup().engine().equals("sglang"));
    }

    /** Returns the day of a run of InferenceX, or an empty text. */
    static String day(Row row) {
        Matcher day = DAY.matcher(row.note());
        return day.find() ? day.group() : "";
    }

    private static int streamTokens(Row row, Optional<Pool> decode) {
        String note = row.note();
        String gpu = row.setup().gpu();
        boolean isBlackwell = gpu.matches("G?B[23]00.*");
        boolean isFp8 = row.setup().dtype().equals("fp8");
        if (!Client.isRandom(row) || gpu.startsWith("MI")) {
            return 1;
        }
        if (note.contains("framework dynamo-trt")) {
            boolean isEarly = day(row).compareTo("2026") < 0;
            return isEarly || (isFp8 && gpu.matches("B[23]00.*")) ? 20 : 100;
        }
        if (note.contains("framework dynamo-sglang") && gpu.startsWith("GB")) {
            return decode.isPresent() && decode.get().devices() > 8 ? 50 : 10;
        }
        if (note.contains("framework dynamo-sglang") && gpu.startsWith("H100")) {
            return 1;
        }
        return switch (row.setup().engine()) {
            case "sglang" -> isBlackwell && (isFp8 || note.contains("dynamo-sglang")) ? 30 : 10;
            case "trtllm" -> 10;
            default -> 1;
        };
    }

    /**
     * Returns when an engine with {@code copies} attention replicas admits requests. With DeepSeek on Blackwell, SGLang
     * looks for requests every 10 steps, or every 30 from 16 streams on. Scripts for AMD devices set continuous decode
     * steps, but measured TTFT shows no wait; SGLang's overlapped scheduler probably ignores them. Attention replicas of
     * TensorRT-LLM wait up to 60 steps for each other's prompts. Without experts it collects short prompts for 20 steps.
     */
    static AdmissionGate.Rule admission(Row row, int copies) {
        boolean isDeepSeek = row.setup().model().contains("DeepSeek");
        if (!Client.isRandom(row)) {
            return AdmissionGate.Rule.IMMEDIATE;
        }
        if (row.setup().engine().equals("sglang")) {
            return isDeepSeek && copies == 1 && row.setup().gpu().startsWith("B")
                    ? new AdmissionGate.Rule(row.load().amount() < 16 ? 10 : 30, 0)
                    : AdmissionGate.Rule.IMMEDIATE;
        }
        if (!row.setup().engine().equals("trtllm")) {
            return AdmissionGate.Rule.IMMEDIATE;
        }
        boolean isShort = row.load().input().equals("1024") && row.load().output() == 1024;
        boolean isDense = !isDeepSeek && !row.setup().model().contains("gpt");
        if (copies > 1 && isDeepSeek) {
            return new AdmissionGate.Rule(1, (int) Math.min(MAX_WAIT_STEPS, allArrived(row, copies)));
        }
        return new AdmissionGate.Rule(1, isShort && isDense && row.groups().tensor() < 8 ? GATHERING_STEPS : 0);
    }

    /**
     * Returns true if SGLang runs block-scaled products in the kernels of FlashInfer, which the scripts for DeepSeek in 8 bits
     * on Blackwell select instead of DeepGEMM's (dsr1_fp8_b200.sh).
     */
    static boolean multipliesWithFlashInfer(Row row) {
        return Client.isRandom(row)
                && row.setup().engine().equals("sglang")
                && row.setup().model().contains("DeepSeek")
                && row.setup().dtype().equals("fp8")
                && row.setup().gpu().startsWith("B");
    }

    /** Maximum prompt tokens of a step that the scripts set for DeepSeek under SGLang. */
    static int sglangTokens(Row row) {
        String gpu = row.setup().gpu();
        boolean isFp8 = row.setup().dtype().equals("fp8");
        if (gpu.startsWith("MI")) {
            boolean isLimited =
                    !isFp8 && row.load().input().equals("8192") && row.load().amount() > MAX_STREAMS_OF_LARGE_STEPS;
            boolean isLateCdna3 = !gpu.startsWith("MI355X") && day(row).compareTo("2026-01-21") >= 0;
            return isLimited ? 32_768 : isLateCdna3 ? 131_072 : 196_608;
        }
        if (gpu.startsWith("H")) {
            return 32_768;
        }
        boolean isFull = isFp8 && !row.note().contains("; mtp;");
        return !isFull ? 16_384 : row.groups().tensor() == 4 ? 8_192 : 32_768;
    }

    /** Share of the memory for weights and cache that the scripts set under SGLang. */
    static double sglangMemory(Row row) {
        boolean isFull = row.setup().dtype().equals("fp8")
                && row.setup().gpu().startsWith("B")
                && row.groups().tensor() == 4;
        return isFull ? 0.95 : 0.82;
    }

    /**
     * Returns the maximum number of requests of an aggregated engine; {@code otherwise} if neither a script nor a default of the
     * engine limits them. With drafts SGLang runs 48 requests, unless a script sets another number.
     */
    static int requests(Row row, int otherwise) {
        boolean isDefault = row.setup().gpu().startsWith("MI325X")
                || (row.setup().gpu().startsWith("MI355X")
                        && !row.setup().dtype().equals("fp8"));
        return Client.isRandom(row)
                        && row.setup().engine().equals("sglang")
                        && row.note().contains("; mtp;")
                        && isDefault
                ? DRAFTED_REQUESTS
                : otherwise;
    }

    /** Mean steps until each of the engines has a new prompt: the maximum of exponential times. */
    private static double allArrived(Row row, int engines) {
        double harmonic = 0;
        for (int i = 1; i <= engines; i++) {
            harmonic += 1.0 / i;
        }
        return harmonic * row.load().output() * engines / row.load().amount();
    }

    /**
     * Returns true if SGLang on an AMD device of this row runs kernels that are slower than the vendor's tuned ones: CDNA3, and
     * CDNA4 with the images until 18 December 2025.
     */
    static boolean isBeforeTunedKernels(Row row) {
        return !row.setup().gpu().startsWith("MI355X") || day(row).compareTo("2025-12-19") < 0;
    }

    /**
     * Returns the seconds until the engine runs its first prompts. It loads or compiles kernels for sizes that its start and
     * the client's warm-up have not run. Prepared kernels differ by engine and vendor.
     */
    static double coldSeconds(Row row) {
        if (!Client.isRandom(row)) {
            return 0;
        }
        if (row.setup().engine().equals("sglang")) {
            boolean compiles =
                    row.setup().gpu().startsWith("MI") && row.setup().dtype().equals("fp8");
            return compiles ? ROCM_COLD_SECONDS : SGLANG_COLD_SECONDS;
        }
        boolean isLatent = row.setup().model().contains("DeepSeek");
        return row.setup().engine().equals("trtllm") && isLatent ? TRTLLM_COLD_SECONDS : 0;
    }

    /**
     * Returns true if the engine compiles kernels for new sizes of a step, so that the first wave, whose prompts run together,
     * and the first single prompt each wait. SGLang compiles its block-scaled 8-bit products on Hopper (DeepGEMM) and on AMD
     * devices; those on Blackwell and 4-bit products are shipped compiled.
     */
    static boolean compilesBySize(Row row) {
        return row.setup().engine().equals("sglang")
                && row.setup().dtype().equals("fp8")
                && !row.setup().gpu().matches("G?B.*")
                && day(row).compareTo("2026") >= 0;
    }

    private static int drafts(Row row, Optional<Pool> decode) {
        if (row.setup().engine().equals("sglang")) {
            return row.setup().gpu().startsWith("MI") ? 3 : 2;
        }
        int engines = decode.map(Pool::engines).orElse(1);
        return decode.isPresent()
                        && decode.get().copiesAttention()
                        && row.load().amount() / engines >= MANY_STREAMS
                ? 1
                : 3;
    }
}
