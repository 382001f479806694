package dev.stagesim.serving;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.predict.Interpolation;
import dev.stagesim.predict.LinearRegression;
import dev.stagesim.predict.Predictor;
import dev.stagesim.predict.RandomForest;
import dev.stagesim.predict.Range;
import dev.stagesim.predict.forest.Draws;
import dev.stagesim.serving.config.PredictorSettings;
import dev.stagesim.sim.core.Mt19937;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;

/** Creates predictors from settings. */
final class Predictors {
    /** Random generators of forests, as in numpy. */
    static final Draws.Source NUMPY = seed -> Mt19937.numpySeed(seed)::masked;

    private Predictors() {}

    /**
     * Returns the predictor of the settings, if it learns from a bundle.
     *
     * @param asVidur whether times below zero are allowed, as in Vidur
     */
    static Predictor of(PredictorSettings settings, boolean asVidur) {
        if (settings instanceof PredictorSettings.Interpolation s) {
            return new Interpolation(range(s.range()), s.extrapolation(), threshold(s.outlierThreshold()));
        }
        if (settings instanceof PredictorSettings.RandomForest s) {
            return forest(s);
        }
        if (settings instanceof PredictorSettings.LinearRegression s) {
            return linear(s, asVidur);
        }
        throw new IllegalStateException("no predictor for " + settings.getClass());
    }

    private static RandomForest forest(PredictorSettings.RandomForest s) {
        Map<String, List<?>> candidates = new LinkedHashMap<>();
        candidates.put("num_estimators", s.numEstimators());
        candidates.put("max_depth", s.maxDepth());
        candidates.put("min_samples_split", s.minSamplesSplit());
        requireSome(candidates);
        return new RandomForest(
                range(s.range()),
                RandomForest.grid(s.numEstimators(), s.maxDepth(), s.minSamplesSplit()),
                s.kFoldCvSplits(),
                s.seed(),
                NUMPY);
    }

    private static LinearRegression linear(PredictorSettings.LinearRegression s, boolean asVidur) {
        Map<String, List<?>> candidates = new LinkedHashMap<>();
        candidates.put("polynomial_degree", s.polynomialDegree());
        candidates.put("polynomial_include_bias", s.polynomialIncludeBias());
        candidates.put("polynomial_interaction_only", s.polynomialInteractionOnly());
        candidates.put("fit_intercept", s.fitIntercept());
        requireSome(candidates);
        return new LinearRegression(
                range(s.range()),
                LinearRegression.grid(
                        s.fitIntercept(),
                        s.polynomialDegree(),
                        s.polynomialIncludeBias(),
                        s.polynomialInteractionOnly()),
                s.kFoldCvSplits(),
                asVidur);
    }

    private static void requireSome(Map<String, List<?>> candidates) {
        List<Problem> problems = new ArrayList<>();
        candidates.forEach((key, values) -> {
            if (values.isEmpty()) {
                problems.add(Problem.config("predictor." + key, "the list is empty, expected at least one value"));
            }
        });
        StageException.refuse(problems);
    }

    private static Range range(PredictorSettings.Range range) {
        return new Range(
                range.kvGranularity(),
                number(range.maxTokens()),
                number(range.maxBatchSize()),
                number(range.maxKvTokens()),
                number(range.maxChunkTokens()));
    }

    private static OptionalInt number(Optional<Integer> value) {
        return value.isPresent() ? OptionalInt.of(value.get()) : OptionalInt.empty();
    }

    private static OptionalDouble threshold(Optional<Double> value) {
        return value.isPresent() ? OptionalDouble.of(value.get()) : OptionalDouble.empty();
    }
}
