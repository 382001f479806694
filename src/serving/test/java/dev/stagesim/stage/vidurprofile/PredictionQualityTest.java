package dev.stagesim.stage.vidurprofile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.contract.BundleTables;
import dev.stagesim.io.bundle.Bundle;
import dev.stagesim.io.csv.TableReader;
import dev.stagesim.predict.Curve;
import dev.stagesim.predict.Operator;
import dev.stagesim.predict.Profile;
import dev.stagesim.predict.Surface;
import dev.stagesim.serving.PredictionQuality;
import dev.stagesim.serving.config.ProfileSettings.EvaluatedPredictor;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class PredictionQualityTest {
    private static Bundle bundle() {
        double[] sizes = IntStream.rangeClosed(1, 40).asDoubleStream().toArray();
        int[] kv = IntStream.range(0, 36).map(i -> i % 6 * 64).toArray();
        int[] counts = IntStream.range(0, 36).map(i -> 1 + i / 6).toArray();
        double[] ms =
                IntStream.range(0, 36).mapToDouble(i -> 1 + kv[i] * counts[i]).toArray();
        Surface surface = new Surface(kv, counts, ms);
        Profile profile = new Profile("p", Map.of(Operator.ADD, new Curve(sizes, sizes)), surface, surface);
        return new Bundle(profile, "a100", "model", List.of(), List.of());
    }

    @Test
    void evaluatesEveryRequestedPredictorOnEveryOperator() throws IOException {
        FakeContext context = new FakeContext();
        PredictionQuality quality = PredictionQuality.of(
                Map.of(2, bundle()),
                List.of(EvaluatedPredictor.LINEAR_REGRESSION, EvaluatedPredictor.RANDOM_FOREST),
                context);
        quality.write(context.out());
        List<String> rows = new ArrayList<>();
        try (TableReader reader =
                TableReader.open(context.out().resolve("prediction_quality.csv"), BundleTables.PREDICTION_QUALITY)) {
            while (reader.next()) {
                assertThat(reader.longAt(reader.column("num_tensor_parallel_workers")))
                        .isEqualTo(2);
                String predictor = reader.stringAt(reader.column("predictor"));
                rows.add(predictor + " " + reader.stringAt(reader.column("operator")));
                double error = reader.doubleAt(reader.column("mean_error_percent"));
                if (predictor.equals("random_forest")) {
                    assertThat(error).isGreaterThan(0.1);
                } else if (!rows.get(rows.size() - 1).endsWith("attn_prefill")) {
                    assertThat(error).as("times are a polynomial").isLessThan(1e-6);
                }
            }
        }
        assertThat(rows)
                .containsExactly(
                        "random_forest add",
                        "random_forest attn_prefill",
                        "random_forest attn_decode",
                        "linear_regression add",
                        "linear_regression attn_prefill",
                        "linear_regression attn_decode");
        assertThat(quality.tables()).hasSize(1);
    }

    @Test
    void writesNothingWithoutPredictors() throws IOException {
        FakeContext context = new FakeContext();
        PredictionQuality quality = PredictionQuality.of(Map.of(1, bundle()), List.of(), context);
        quality.write(context.out());
        assertThat(Files.exists(context.out().resolve("prediction_quality.csv")))
                .isFalse();
        assertThat(quality.tables()).isEmpty();
    }
}
