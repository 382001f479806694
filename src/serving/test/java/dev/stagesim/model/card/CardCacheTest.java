package dev.stagesim.model.card;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares the KV-cache size of shipped models with identical layers with vLLM. */
final class CardCacheTest {
    /** Rows gqa-8b, gqa-8b-fp8kv, mla-v3 and mla-v3-fp8 of vLLM's table of cache sizes. */
    @ParameterizedTest
    @CsvSource({
        "llama3_1_8b, BF16, 16, 2097152",
        "llama3_1_8b, FP8, 16, 1048576",
        "deepseek_v3, BF16, 64, 4497408",
        "deepseek_v3, FP8, 64, 2248704"
    })
    void matchesTheBlockSizeOfVllm(String model, Precision cache, int tokens, long bytes) {
        ModelCard card = CardFiles.model(model);
        ModelCard stored = card.stored(card.formats().weights(), card.expertPrecision(), cache);
        assertThat(stored.size().kvBytesPerToken() * tokens).isEqualTo(bytes);
    }
}
