package dev.stagesim.feature.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.feature.Deployment;
import dev.stagesim.feature.Deployment.Shape;
import dev.stagesim.io.yaml.Yaml;
import dev.stagesim.model.CardFiles;
import dev.stagesim.model.Precision;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class EngineFilesTest {
    private static Map<String, String> files(String engine, String hardware, int tp, Precision weights, Precision kv) {
        PlanSettings.Search any = Plans.search(List.of(tp), List.of(weights), List.of(256), List.of(2048));
        PlanSettings settings = Plans.settings("llama3_70b", hardware, 8, "ttft_p99_ms<500", any, engine);
        Shape shape = new Shape(engine, CardFiles.engine(engine), tp, 1, weights, weights, kv);
        return new EngineFiles(settings, new Deployment(shape, 256, 2048), 3, 1500).all();
    }

    @Test
    void vllmIsGivenItsFlags() {
        assertThat(files("vllm_v1", "h100", 4, Precision.FP8, Precision.FP8).get("command.sh"))
                .isEqualTo(
                        """
                        #!/bin/sh
                        # One of 3 copies: tp 4, FP8 weights, FP8 KV cache on 4 × H100-SXM-80GB.
                        vllm serve meta-llama/Meta-Llama-3-70B \\
                          --tensor-parallel-size 4 \\
                          --pipeline-parallel-size 1 \\
                          --max-num-seqs 256 \\
                          --max-num-batched-tokens 2048 \\
                          --max-model-len 2048 \\
                          --gpu-memory-utilization 0.9 \\
                          --quantization fp8 \\
                          --kv-cache-dtype fp8 \\
                          --port 8000
                        """);
        assertThat(files("vllm_v1", "h100", 4, Precision.BF16, Precision.BF16).get("command.sh"))
                .doesNotContain("--quantization", "--kv-cache-dtype", "ray");
    }

    @Test
    void sglangIsGivenItsFlags() {
        assertThat(files("sglang", "h100", 4, Precision.FP8, Precision.FP8).get("command.sh"))
                .contains(
                        "python3 -m sglang.launch_server --model-path meta-llama/Meta-Llama-3-70B",
                        "--tp-size 4",
                        "--max-running-requests 256",
                        "--chunked-prefill-size 2048",
                        "--max-prefill-tokens 2048",
                        "--context-length 2048",
                        "--mem-fraction-static 0.825",
                        "--quantization fp8",
                        "--kv-cache-dtype fp8_e4m3");
    }

    @Test
    void tensorRtIsGivenItsFlagsAndOptions() {
        Map<String, String> files = files("trtllm", "h100", 4, Precision.FP8, Precision.FP8);
        assertThat(files.get("command.sh"))
                .contains(
                        "# Give a checkpoint whose weights are FP8",
                        "trtllm-serve \"${CHECKPOINT:?a checkpoint with FP8 weights}\"",
                        "--tp_size 4",
                        "--max_batch_size 256",
                        "--max_num_tokens 2048",
                        "--max_seq_len 2048",
                        "--kv_cache_free_gpu_memory_fraction 0.864",
                        "--extra_llm_api_options extra_llm_api_options.yaml");
        assertThat(files.get("extra_llm_api_options.yaml")).contains("enable_chunked_prefill: true", "  dtype: fp8");
    }

    @Test
    void theManifestRunsAllCopies() {
        String manifest =
                files("trtllm", "h100", 4, Precision.FP8, Precision.FP8).get("kubernetes.yaml");
        assertThat(manifest).contains("replicas: 3", "nvidia.com/gpu: 4", "trtllm-serve");
        for (String document : manifest.split("---\n", -1)) {
            assertThat(Yaml.parse(document, "manifest")).isNotNull();
        }
        Map<String, String> two = files("vllm_v1", "h100", 16, Precision.BF16, Precision.BF16);
        assertThat(two).doesNotContainKey("kubernetes.yaml");
        assertThat(two.get("command.sh")).contains("spans 2 nodes", "ray start", "--distributed-executor-backend ray");
        assertThat(files("sglang", "gb200", 8, Precision.BF16, Precision.BF16).get("command.sh"))
                .contains("--nnodes 2 --node-rank ${NODE_RANK}");
        assertThat(files("vllm_v1", "mi300x", 4, Precision.BF16, Precision.BF16).get("kubernetes.yaml"))
                .contains("amd.com/gpu: 4", "rocm/vllm");
    }
}
