package dev.stagesim.serving;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class EngineFamilyTest {
    @ParameterizedTest
    @CsvSource({
        "vllm, vllm",
        "vllm_v1, vllm",
        "'vLLM V1, 0.8 to 0.24', vllm",
        "SGLang, sglang",
        "sglang_rocm, sglang",
        "TensorRT-LLM, trtllm",
        "tensorrt_llm, trtllm",
        "'TensorRT-LLM 0.19 and later, PyTorch', trtllm",
        "trtllm_static, trtllm",
        "Sarathi-Serve and vLLM 0.2, sarathi"
    })
    void namesTheFamilyOfVersionsAndBuilds(String name, String family) {
        assertThat(EngineFamily.of(name)).contains(family);
    }

    @Test
    void knowsNoFamilyOfOtherEngines() {
        assertThat(EngineFamily.of("llama.cpp of 2024 on NVIDIA devices")).isEmpty();
        assertThat(EngineFamily.of("stagesim")).isEmpty();
    }
}
