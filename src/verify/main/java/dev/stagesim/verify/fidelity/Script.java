package dev.stagesim.verify.fidelity;

import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Server settings of a run that its row does not state, from the scripts and recipes of the benchmark at the date of the
 * run (SemiAnalysisAI/InferenceX 843c625 and its history, Apache-2.0).
 *
 * @param streamTokens steps between transmissions to the client
 * @param drafts draft tokens of a request in a step; 0 without speculative decoding
 */
record Script(int streamTokens, int drafts) {
    private static final Pattern DAY = Pattern.compile("\\d{4}-\\d\\d-\\d\\d");

    /**
     * Acceptance of a draft token of multi-token prediction if the previous ones are accepted, for random prompts: the tokens
     * of a transmission per step in runs that state both. Published rates are for text.
     */
    static final List<Double> ACCEPTANCE = List.of(0.70, 0.60, 0.50);

    /** Streams per attention replica from which scripts of TensorRT-LLM use one draft instead of three. */
    private static final int MANY_STREAMS = 16;

    static Script of(Row row, Optional<Pool> decode) {
        return new Script(streamTokens(row, decode), row.note().contains("; mtp;") ? drafts(row, decode) : 0);
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
