package dev.stagesim.stage.vidursim;

import dev.stagesim.predict.Extrapolation;
import dev.stagesim.predict.Interpolation;
import dev.stagesim.predict.Predictor;
import dev.stagesim.predict.Range;
import dev.stagesim.settings.PredictorSettings;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;

/** The one place where a predictor's settings lead to the predictor: one line per kind. */
final class Predictors {
    private Predictors() {}

    /** The predictor that the settings choose. */
    static Predictor of(PredictorSettings settings) {
        if (settings instanceof PredictorSettings.Interpolation s) {
            return new Interpolation(
                    range(s.range()), extrapolation(s.extrapolation()), threshold(s.outlierThreshold()));
        }
        throw new IllegalStateException("no predictor for " + settings.getClass());
    }

    private static Range range(PredictorSettings.Range range) {
        return new Range(
                range.kvGranularity(),
                number(range.maxTokens()),
                number(range.maxBatchSize()),
                number(range.maxKvTokens()),
                number(range.maxChunkTokens()));
    }

    private static Extrapolation extrapolation(PredictorSettings.Extrapolation extrapolation) {
        return switch (extrapolation) {
            case NONE -> Extrapolation.NONE;
            case LINEAR -> Extrapolation.LINEAR;
        };
    }

    private static OptionalInt number(Optional<Integer> value) {
        return value.isPresent() ? OptionalInt.of(value.get()) : OptionalInt.empty();
    }

    private static OptionalDouble threshold(Optional<Double> value) {
        return value.isPresent() ? OptionalDouble.of(value.get()) : OptionalDouble.empty();
    }
}
