package dev.stagesim.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeyNamesTest {
    @ParameterizedTest
    @CsvSource({
        "qps,qps",
        "maxNumSeqs,max_num_seqs",
        "fp8Tflops,fp8_tflops",
        "maxQPS,max_qps",
        "kvCacheGBPerGpu,kv_cache_gb_per_gpu",
        "Server,server",
        "snake_case,snake_case"
    })
    void convertsJavaNamesToKeys(String java, String key) {
        assertThat(KeyNames.snake(java)).isEqualTo(key);
    }
}
