package dev.stagesim.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SuggestTest {
    private static final List<String> NAMES = List.of("scheduler", "workload", "model", "arrival", "compare");

    @Test
    void findsNearSpellingsFirst() {
        assertThat(Suggest.near("modle", NAMES)).containsExactly("model");
        assertThat(Suggest.near("Arival", NAMES)).containsExactly("arrival");
    }

    @Test
    void countsASwapAsOneEdit() {
        assertThat(Suggest.distance("modle", "model")).isEqualTo(1);
        assertThat(Suggest.distance("", "abc")).isEqualTo(3);
        assertThat(Suggest.distance("abc", "abc")).isZero();
    }

    @Test
    void fallsBackToPartsAndAbbreviations() {
        assertThat(Suggest.near("load", NAMES)).containsExactly("workload");
        assertThat(Suggest.near("sced", NAMES)).containsExactly("scheduler");
    }

    @Test
    void offersTheNewestVersionFirst() {
        assertThat(Suggest.near("vllm", List.of("vllm_v0", "vllm_v0_rocm", "vllm_v0_server", "vllm_v1", "sglang")))
                .containsExactly("vllm_v1", "vllm_v0", "vllm_v0_rocm");
        assertThat(Suggest.near("deepseek", List.of("deepseek_v2", "deepseek_v3", "deepseek_v3_1")))
                .containsExactly("deepseek_v3", "deepseek_v2", "deepseek_v3_1");
    }

    @Test
    void prefersNamesThatBeginWithOrContainTheText() {
        assertThat(Suggest.near("lama3", List.of("llama2_13b", "llama3_1_405b", "llama3_8b", "llama3_70b")))
                .containsExactly("llama3_8b", "llama3_70b", "llama3_1_405b");
        assertThat(Suggest.near("qwen", List.of("a_qwen", "qwen3_32b", "qwen3")))
                .startsWith("qwen3");
    }

    @Test
    void prefersNamesWithAllParts() {
        assertThat(Suggest.near("h100-80gb", List.of("a100_80gb", "h100_sxm_80gb", "h100_pcie_80gb", "h100_nvl_94gb")))
                .containsExactly("h100_sxm_80gb", "h100_pcie_80gb");
        assertThat(Suggest.near("size.batch", List.of("batch.sizes", "batch.max.size", "batch")))
                .containsExactly("batch.max.size");
    }

    @Test
    void offersNothingWithoutASimilarName() {
        assertThat(Suggest.near("zzzz", NAMES)).isEmpty();
        assertThat(Suggest.near("q", NAMES)).isEmpty();
        assertThat(Suggest.near("tp", List.of("output"))).isEmpty();
    }

    @Test
    void offersAtMostThreeSuggestions() {
        assertThat(Suggest.near("aa", List.of("ab", "ac", "ad", "ae"))).containsExactly("ab", "ac", "ad");
    }
}
