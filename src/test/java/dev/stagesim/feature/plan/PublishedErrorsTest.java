package dev.stagesim.feature.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.feature.EngineChoice.Shape;
import dev.stagesim.feature.plan.PublishedErrors.Errors;
import dev.stagesim.model.CardFiles;
import dev.stagesim.model.Precision;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
        assertThat(errors.of("vllm_v1", "L4", "tpot")).isEmpty();
        assertThat(errors.of("other", "L4", "tpot")).isEmpty();
    }

    /** Rows of dense models on one node are not quoted for mixtures, hybrids, pipelines or several nodes. */
    @ParameterizedTest
    @CsvSource({
        "llama3_70b, 4, 1, true",
        "llama3_70b, 4, 2, false",
        "llama3_70b, 16, 1, false",
        "deepseek_v3, 8, 1, false",
        "mixtral_8x7b, 2, 1, false",
        "nvidia_nvidia_nemotron_nano_9b_v2, 1, 1, false"
    })
    void onlyRowsThatApplyAreQuoted(String model, int tp, int pp, boolean applies) throws IOException {
        Shape shape = new Shape(
                "vllm_v1", CardFiles.engine("vllm_v1"), tp, pp, Precision.BF16, Precision.BF16, Precision.BF16);
        assertThat(PublishedErrors.read(HOME).of(shape, CardFiles.model(model), CardFiles.hardware("h100"), "tpot"))
                .matches(known -> known.isPresent() == applies);
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
