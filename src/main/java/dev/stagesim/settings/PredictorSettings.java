package dev.stagesim.settings;

import dev.stagesim.model.Extrapolation;
import dev.stagesim.model.Key;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.Variant;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** How operator times follow from a bundle's rows: the section {@code predictor}. */
public sealed interface PredictorSettings
        permits PredictorSettings.Auto,
                PredictorSettings.Computed,
                PredictorSettings.Interpolation,
                PredictorSettings.RandomForest,
                PredictorSettings.LinearRegression,
                PredictorSettings.Tables {
    /** Returns this predictor, or the predictor that {@link Auto} stands for. */
    default PredictorSettings resolved(ProfileSettings profile, ProfilingInput profiling, Compat compat) {
        return this;
    }

    @Variant("auto | Computed if the operators are profiled by the roofline with the defaults of its keys; otherwise"
            + " interpolated between the points of the bundle.")
    record Auto() implements PredictorSettings {
        @Override
        public PredictorSettings resolved(ProfileSettings profile, ProfilingInput profiling, Compat compat) {
            boolean isComputed = compat == Compat.NONE
                    && profiling.root().isEmpty()
                    && profile.equals(KeyRecord.defaults(ProfileSettings.Roofline.class));
            return isComputed ? new Computed() : KeyRecord.defaults(Interpolation.class);
        }
    }

    @Variant("computed | Computed from the model card and the hardware card at every size; no bundle is made.")
    record Computed() implements PredictorSettings {}

    @Variant("interpolation | Piecewise linear through the measured points.")
    record Interpolation(
            @Key("Range of keys to answer for.") Range range,
            @Key("What happens beyond the measured points. | none") Extrapolation extrapolation,
            @Key("A point that differs from the median of its five neighbours by more than this share is left out;"
                            + " null keeps every point. | 0.2 | 0.000001..1000000")
                    Optional<Double> outlierThreshold,
            @Key("Which figure of a measured row is its time: the median forgets rare long samples, sums of means are"
                            + " right on average. | median")
                    Statistic statistic)
            implements PredictorSettings {}

    @Variant("random_forest | A random forest per operator, bit for bit as Vidur's.")
    record RandomForest(
            @Key("Range of keys to answer for; beyond measured sizes the last step continues.") Range range,
            @Key("Numbers of trees to choose from by cross-validation. | [250] | trees | 1..100000")
                    List<Integer> numEstimators,
            @Key("Depths to choose from. | [16] | splits | 1..1000") List<Integer> maxDepth,
            @Key("Minimum rows of a node that is split, to choose from. | [2] | rows | 2..1000000000")
                    List<Integer> minSamplesSplit,
            @Key("Folds of the cross-validation. | 10 | folds | 2..1000000") int kFoldCvSplits,
            @Key("Seed of the generator that all forests take their seeds from, in order of operators. | 42 |"
                            + " 0..4294967295")
                    long seed)
            implements PredictorSettings {}

    @Variant("linear_regression | A polynomial per operator, its form chosen by cross-validation.")
    record LinearRegression(
            @Key("Range of keys to answer for; beyond measured sizes the polynomial continues.") Range range,
            @Key("Degrees to choose from. | [1, 2, 3, 4, 5] | 1..10") List<Integer> polynomialDegree,
            @Key("Whether the terms include a constant, to choose from. | [true, false]")
                    List<Boolean> polynomialIncludeBias,
            @Key("Whether a feature appears at most once in a term, to choose from. | [true, false]")
                    List<Boolean> polynomialInteractionOnly,
            @Key("Whether means are taken out before fitting, to choose from. | [true, false]")
                    List<Boolean> fitIntercept,
            @Key("Folds of the cross-validation. | 10 | folds | 2..1000000") int kFoldCvSplits)
            implements PredictorSettings {}

    @Variant("tables | Looked up in tables that were computed before; no bundle is needed.")
    record Tables(
            @Key("Directory with a file <operator>.csv, plain or gzipped, for each operator.") Path dir,
            @Key("KV-cache lengths in the tables are multiples of this. | 64 | tokens | 1..1000000") int kvGranularity)
            implements PredictorSettings {}

    /** A figure of a row of measurements. */
    enum Statistic {
        MEDIAN, // Half of the samples are below.
        MEAN // The sum of the samples over their number.
    }

    /** Range of keys; what is null reaches as far as the bundle was measured. */
    record Range(
            @Key("KV-cache lengths are rounded up to a multiple of this. | 64 | tokens | 1..1000000") int kvGranularity,
            @Key("Maximum token count of a batch. | null | tokens | 1..1000000") Optional<Integer> maxTokens,
            @Key("Maximum number of requests in a batch. | null | requests | 1..1000000")
                    Optional<Integer> maxBatchSize,
            @Key("Maximum KV-cache length. | null | tokens | 1..100000000") Optional<Integer> maxKvTokens,
            @Key("Maximum prefill chunk. | null | tokens | 1..1000000") Optional<Integer> maxChunkTokens) {}
}
