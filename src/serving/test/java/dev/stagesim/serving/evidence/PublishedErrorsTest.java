package dev.stagesim.serving.evidence;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.model.card.CardFiles;
import dev.stagesim.model.card.Precision;
import dev.stagesim.serving.EngineChoice.Shape;
import dev.stagesim.serving.evidence.PublishedErrors.MetricErrors;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class PublishedErrorsTest {
    private static final Path HOME = Path.of(System.getProperty("stagesim.home", ""));

    private static Optional<MetricErrors> errors(String engine, String model, String hardware, int tp, int pp)
            throws IOException {
        Shape shape =
                new Shape(engine, CardFiles.engine(engine), tp, pp, Precision.BF16, Precision.BF16, Precision.BF16);
        return PublishedErrors.read(HOME)
                .of(EvidenceQuery.of(shape, CardFiles.model(model), CardFiles.hardware(hardware)), "tpot");
    }

    /**
     * Errors are published per kind of model, because those of dense models do not apply to mixtures, hybrids and
     * several nodes.
     */
    @ParameterizedTest
    @CsvSource({
        "vllm_v1, llama3_70b, h100, 4, dense 15 to 100 B under vllm_v1 on H100-SXM-80GB",
        "vllm_v1, llama3_8b, h100, 1, dense up to 15 B under vllm_v1 on H100-SXM-80GB",
        "sglang, deepseek_v3, h200, 8, MoE above 100 B under sglang on H200-SXM-141GB",
        "sglang, deepseek_v3, b200, 16, MoE above 100 B on several nodes under sglang on B200-SXM-180GB"
    })
    void quotesErrorsOfTheKindOfModel(String engine, String model, String hardware, int tp, String where)
            throws IOException {
        MetricErrors known = errors(engine, model, hardware, tp, 1).orElseThrow();
        assertThat(known.where()).isEqualTo(where);
        assertThat(known.rows()).isGreaterThanOrEqualTo(20);
        assertThat(known.median()).isBetween(0.01, 0.5);
        assertThat(known.p90()).isGreaterThan(known.median());
    }

    @ParameterizedTest
    @CsvSource({
        "vllm_v1, llama3_70b, h100, 4, 2",
        "vllm_v1, llama3_70b, h100, 16, 1",
        "vllm_v1, llama3_8b, l4, 1, 1",
        "trtllm, nvidia_nvidia_nemotron_nano_9b_v2, h100, 1, 1",
        "trtllm_static, llama3_8b, h100, 1, 1"
    })
    void quotesNothingWithoutMatchingRows(String engine, String model, String hardware, int tp, int pp)
            throws IOException {
        assertThat(errors(engine, model, hardware, tp, pp)).isEmpty();
    }

    /** Without errors of its group, a mixture of experts has those of another mixture, and a dense model dense ones. */
    @ParameterizedTest
    @CsvSource({
        "vllm_v1, deepseek_v3, 8, 'MoE '",
        "sglang, deepseek_v3, 8, 'MoE above 100 B'",
        "vllm_v1, llama3_70b, 4, 'dense '"
    })
    void prefersTheKindOfLayersAmongTheNearest(String engine, String model, int tp, String kind) throws IOException {
        Shape shape =
                new Shape(engine, CardFiles.engine(engine), tp, 2, Precision.BF16, Precision.BF16, Precision.BF16);
        assertThat(PublishedErrors.read(HOME)
                        .nearest(EvidenceQuery.of(shape, CardFiles.model(model), CardFiles.hardware("h100")), "tpot")
                        .orElseThrow()
                        .where())
                .startsWith(kind);
    }

    /** A deployment with errors of other metrics than those of the SLO quotes them. */
    @ParameterizedTest
    @CsvSource({
        "trtllm, llama3_8b, h100, no published error of TPOT or TTFT; median published error of E2E",
        "trtllm, llama3_8b, l40s, no published error of TPOT or TTFT; median published error of throughput",
        "vllm_v1, llama3_8b, h100, median published error of TPOT",
        "vllm_v1, llama3_8b, tpu_v5e, 'confidence unknown: no published measurements of '"
    })
    void quotesErrorsOfOtherMetrics(String engine, String model, String hardware, String start) throws IOException {
        Shape shape = new Shape(engine, CardFiles.engine(engine), 1, 1, Precision.BF16, Precision.BF16, Precision.BF16);
        EvidenceQuery query = EvidenceQuery.of(shape, CardFiles.model(model), CardFiles.hardware(hardware));
        assertThat(query.confidence(PublishedErrors.read(HOME), List.of("tpot", "ttft")))
                .startsWith(start);
    }

    @Test
    void computesTheRangeAroundAPrediction() {
        MetricErrors errors = new MetricErrors("", 1, 0.1, 0.25);
        assertThat(errors.low(100)).isEqualTo(80);
        assertThat(errors.high(75)).isEqualTo(100);
        assertThat(new MetricErrors("", 1, 0.1, 1.2).high(1)).isInfinite();
    }
}
