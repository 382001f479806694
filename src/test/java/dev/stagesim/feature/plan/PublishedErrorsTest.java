package dev.stagesim.feature.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.feature.plan.PublishedErrors.Errors;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class PublishedErrorsTest {
    private static final Path HOME = Path.of(System.getProperty("stagesim.home", ""));

    @Test
    void theEngineOnTheDeviceIsFoundElseTheEngine() throws IOException {
        PublishedErrors errors = PublishedErrors.read(HOME);
        Errors known = errors.of("vllm_v1", "H100-SXM-80GB", "tpot").orElseThrow();
        assertThat(known.where()).isEqualTo("vllm_v1 on H100-SXM-80GB");
        assertThat(known.rows()).isGreaterThan(100);
        assertThat(known.median()).isBetween(0.01, 0.3);
        assertThat(known.most()).isGreaterThan(known.median());
        assertThat(errors.of("vllm_v1", "L4", "tpot").orElseThrow().where()).isEqualTo("vllm_v1 on any device");
        assertThat(errors.of("other", "L4", "tpot")).isEmpty();
    }

    @Test
    void aMeasuredValueLiesAroundThePrediction() {
        Errors errors = new Errors("", 1, 0.1, 0.25);
        assertThat(errors.low(100)).isEqualTo(80);
        assertThat(errors.high(75)).isEqualTo(100);
        assertThat(new Errors("", 1, 0.1, 1.2).high(1)).isInfinite();
    }

    @Test
    void withoutTheFileNothingIsKnown() throws IOException {
        assertThat(PublishedErrors.read(Path.of("nowhere")).of("vllm_v1", "L4", "tpot"))
                .isEmpty();
    }
}
