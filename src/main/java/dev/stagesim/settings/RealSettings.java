package dev.stagesim.settings;

import dev.stagesim.model.Key;
import java.nio.file.Path;
import java.util.Optional;

/** Where a measurement comes from: the section {@code real}. */
public record RealSettings(
        @Key("Tool that made the measurement; auto takes the shipped recording, or looks at the content of"
                        + " real.file. | auto")
                Source source,
        @Key("Directory of a finished run to compare with instead of reading a measurement. | null") Optional<Path> dir,
        @Key("Result file of a benchmark tool, or directory of a recording; null for the shipped recording of"
                        + " this model, hardware and workload. | null")
                Optional<Path> file,
        @Key("Which result of a file that holds several, from 0; null when it holds one. | null | 0..")
                Optional<Integer> entry,
        @Key("When a request of a client that limits its concurrency arrives; null for intended. | null")
                Optional<Arrivals> arrivals,
        @Key("Greatest difference between an arrival of the workload and of the measurement. | 0.001 | s | 0..")
                double arrivalTolerance,
        @Key("Accept a measurement of a model that is named differently. | false") boolean anyModel) {
    /** Tools whose measurements can be read. */
    public enum Source {
        AUTO, // Found out from the content.
        /** A live server, replayed against: the section {@code endpoint}. */
        ENDPOINT,
        /** The built-in engine, run on this machine: the section {@code engine}. */
        REFERENCE,
        RECORDED, // A recording in our own format.
        /** JSON that {@code vllm bench serve --save-result --save-detailed} writes. */
        VLLM,
        VLLM_PYTORCH, // Records that vLLM's benchmarks write for PyTorch's benchmark database.
        /** JSON of {@code vllm bench throughput} or {@code vllm bench latency}. */
        VLLM_OFFLINE,
        /** JSON of SGLang's {@code bench_serving}. */
        SGLANG,
        AIPERF, // Records of AIPerf.
        GENAI_PERF_SUMMARY, // Summary of AIPerf or GenAI-Perf.
        GENAI_PERF, // Profile of GenAI-Perf.
        GUIDELLM, // Benchmarks of GuideLLM.
        INFERENCE_PERF, // Lifecycle metrics of inference-perf.
        BENCHMARK_REPORT, // Benchmark Report of llm-d.
        LLMPERF, // Responses or summary of LLMPerf.
        /** Report of {@code trtllm-bench}. */
        TRTLLM,
        MLPERF_LOADGEN, // Detail log of MLPerf LoadGen.
        MLPERF_TRAINING, // Log of an MLPerf training run.
        /** Output of {@code llama-bench}. */
        LLAMA_BENCH,
        HF_BENCHMARKER, // Results of Hugging Face's inference-benchmarker.
        BLIS, // Requests of a BLIS TraceV2.
        VIDUR, // Request metrics of Vidur or Sarathi-Serve.
        NCCL_TESTS, // Text of nccl-tests.
        CHROME_TRACE, // Trace of the PyTorch, TensorFlow or JAX profiler.
        NSIGHT // Kernel sums of Nsight Systems.
    }

    /** What counts as the arrival of a request that waited in the client. */
    public enum Arrivals {
        INTENDED, // When the client meant to send it: its wait in the client is part of the time to first token.
        SENT // When the client sent it.
    }
}
