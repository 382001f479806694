package dev.stagesim.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.model.Extrapolation;
import dev.stagesim.model.StageException;
import dev.stagesim.predict.Interpolation;
import dev.stagesim.predict.LinearRegression;
import dev.stagesim.predict.RandomForest;
import dev.stagesim.predict.Range;
import dev.stagesim.predict.forest.ForestSpec;
import dev.stagesim.predict.linear.LinearSpec;
import dev.stagesim.serving.config.PredictorSettings;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

final class PredictorsTest {
    @Test
    void passesEverySettingToThePredictor() {
        PredictorSettings.Range range =
                new PredictorSettings.Range(16, Optional.of(1), Optional.of(2), Optional.of(3), Optional.empty());
        assertThat(Predictors.of(
                        new PredictorSettings.Interpolation(
                                range, Extrapolation.LINEAR, Optional.of(0.4), PredictorSettings.Statistic.MEDIAN),
                        false))
                .isEqualTo(new Interpolation(
                        new Range(16, OptionalInt.of(1), OptionalInt.of(2), OptionalInt.of(3), OptionalInt.empty()),
                        Extrapolation.LINEAR,
                        OptionalDouble.of(0.4)));
    }

    private static final PredictorSettings.Range RANGE =
            new PredictorSettings.Range(16, Optional.of(1), Optional.of(2), Optional.of(3), Optional.of(4));

    private static final Range KEYS =
            new Range(16, OptionalInt.of(1), OptionalInt.of(2), OptionalInt.of(3), OptionalInt.of(4));

    @Test
    void passesGridsToForestsAndPolynomials() {
        assertThat(Predictors.of(
                        new PredictorSettings.RandomForest(RANGE, List.of(5, 6), List.of(7), List.of(8), 9, 10), false))
                .isEqualTo(new RandomForest(
                        KEYS, List.of(new ForestSpec(5, 7, 8), new ForestSpec(6, 7, 8)), 9, 10, Predictors.NUMPY));
        PredictorSettings linear = new PredictorSettings.LinearRegression(
                RANGE, List.of(2), List.of(true), List.of(false), List.of(false), 4);
        List<LinearSpec> form = List.of(new LinearSpec(false, 2, true, false));
        assertThat(Predictors.of(linear, true)).isEqualTo(new LinearRegression(KEYS, form, 4, true));
        assertThat(Predictors.of(linear, false)).isEqualTo(new LinearRegression(KEYS, form, 4, false));
    }

    @Test
    void reportsAllEmptyGridsAtOnce() {
        assertThatThrownBy(() -> Predictors.of(
                        new PredictorSettings.RandomForest(RANGE, List.of(), List.of(7), List.of(), 9, 10), false))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("predictor.num_estimators")
                .hasMessageContaining("predictor.min_samples_split");
        assertThatThrownBy(() -> Predictors.of(
                        new PredictorSettings.LinearRegression(
                                RANGE, List.of(), List.of(true), List.of(true), List.of(), 4),
                        false))
                .hasMessageContaining("predictor.polynomial_degree")
                .hasMessageContaining("predictor.fit_intercept");
    }
}
