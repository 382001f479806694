package dev.stagesim.verify.fidelity;

import java.util.Optional;

/** Rows that measure another quantity than their columns suggest, according to the notes on the data. */
final class ExcludedRows {
    private ExcludedRows() {}

    static void check(Row row) {
        String engine = row.setup().engine();
        String version = row.setup().version();
        refuse(
                row.origin().source().equals("aiconfigurator-silicon")
                        && engine.equals("vllm_v1")
                        && version.equals("0.12.0")
                        && row.note().startsWith("vendor"),
                "vendor runs of vLLM 0.12.0: parallel columns contradict each other");
        refuse(
                engine.equals("trtllm") && version.startsWith("1.3.0rc1"),
                "TensorRT-LLM 1.3.0rc1: times are not monotonic in the streams");
        refuse(
                engine.equals("trtllm") && version.startsWith("1.3.0rc5"),
                "TensorRT-LLM 1.3.0rc5: prompts pass faster than the devices' peak rates allow");
        refuse(
                engine.equals("hf_transformers") && row.setup().dtype().startsWith("int"),
                "bitsandbytes runs a product as several kernels, which are not modelled");
        refuse(
                Client.isRandom(row) && isCold(row),
                "first prompts without a warm-up (InferenceX until 21 January 2026), in which engines prepare their kernels");
        refuse(
                engine.equals("trtllm")
                        && version.startsWith("1.2.0rc6.post3")
                        && row.setup().model().contains("DeepSeek"),
                "speculative decoding, which is not recorded");
        refuse(
                engine.equals("llama.cpp")
                        && row.groups().stages() > 1
                        && row.metric().startsWith("prefill"),
                "devices of llama.cpp work on parts of a prompt together in some of these runs and one after the other in others");
        refuse(
                engine.equals("llama.cpp") && row.setup().gpu().startsWith("MI"),
                "llama.cpp of 2024 on AMD devices is several times slower than the hardware");
        refuse(
                Client.isRandom(row)
                        && engine.equals("vllm_v1")
                        && row.setup().gpu().startsWith("H100")
                        && row.load().amount() == 512,
                "512 streams of vLLM on H100: faster than 64 of them");
        refuse(row.setup().gpu().contains("powercap"), "a power-capped variant of the device");
        refuse(row.metric().equals("running_batch_mean"), "the load itself, not a time");
        refuse(
                MlperfServer.isOne(row) && !MlperfServer.isComplete(row),
                "the rate of requests and the settings of the tuned system are not recorded");
        refuse(
                MlperfServer.isOne(row) && !row.metric().equals("output_throughput"),
                "a tuned system at its capacity, where latencies depend on small differences of the throughput");
        refuse(
                row.load().kind().equals("offline") && row.metric().startsWith("e2e"),
                "times of offline runs count from the start of the run");
        refuse(
                row.origin().source().equals("splitwise")
                        && row.load().amount() >= 16
                        && !row.metric().startsWith("tpot"),
                "only part of the batch was prefilled");
        refuse(
                row.metric().startsWith("tokens_throughput")
                        && row.setup().engine().equals("other"),
                "the engine is not public");
    }

    /** Returns why a row contradicts other measurements of the same kind; empty for others. Such rows are predicted. */
    static Optional<String> suspicion(Row row) {
        String version = row.setup().version();
        String day = Script.day(row);
        if (!Client.isRandom(row) || !row.setup().model().contains("DeepSeek")) {
            return Optional.empty();
        }
        return version.startsWith("1.1.0rc2")
                        && day.equals("2026-01-14")
                        && !row.note().contains("; mtp;")
                ? Optional.of("TensorRT-LLM 1.1.0rc2 of 14 January 2026: drafts that are not recorded")
                : Optional.empty();
    }

    /** Cold engines determine the tails of latencies, and the mean TTFT of SGLang, which prepares kernels for a minute. */
    private static boolean isCold(Row row) {
        boolean isMean = row.metric().equals("ttft_mean")
                && row.setup().engine().equals("sglang")
                && Script.day(row).startsWith("2025");
        return isMean
                || (row.metric().matches("(ttft|e2e)_p9\\d") && Script.day(row).compareTo("2026-01-21") < 0);
    }

    private static void refuse(boolean holds, String why) {
        if (holds) {
            throw new UnpredictableRow(why);
        }
    }
}
