package dev.stagesim.serving.config;

import dev.stagesim.model.Extrapolation;
import dev.stagesim.model.Key;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.Variant;
import dev.stagesim.workload.CompatMode;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Source of operator times: the section {@code predictor}. */
public sealed interface PredictorSettings
        permits PredictorSettings.Auto,
                PredictorSettings.Computed,
                PredictorSettings.Interpolation,
                PredictorSettings.RandomForest,
                PredictorSettings.LinearRegression,
                PredictorSettings.Tables {
    /** Returns this predictor, or the predictor that {@link Auto} stands for. */
    default PredictorSettings resolved(ProfileSettings profile, ProfilingInput profiling, CompatMode compat) {
        return this;
    }

    @Variant("auto | computed if profile.profiler=roofline has the defaults of all its keys; otherwise "
            + "interpolation.")
    record Auto() implements PredictorSettings {
        @Override
        public PredictorSettings resolved(ProfileSettings profile, ProfilingInput profiling, CompatMode compat) {
            boolean isComputed = compat == CompatMode.NONE
                    && profiling.root().isEmpty()
                    && KeyRecord.differences("", KeyRecord.defaults(ProfileSettings.Roofline.class), profile)
                            .isEmpty();
            return isComputed ? new Computed() : KeyRecord.defaults(Interpolation.class);
        }
    }

    @Variant("computed | Computed from the model card and the hardware card for each size, without a bundle.")
    record Computed() implements PredictorSettings {}

    @Variant("interpolation | Piecewise linear between the measured points.")
    record Interpolation(
            @Key("Range of sizes.") Range range,
            @Key("Extrapolation beyond the measured points. | none") Extrapolation extrapolation,
            @Key("Outlier threshold: a point is dropped if it differs from the median of its five neighbours by "
                            + "more than this share; null keeps all points. | 0.2 | 0.000001..1000000")
                    Optional<Double> outlierThreshold,
            @Key("Statistic of a measured row. The median ignores rare long samples; sums of means have the right "
                            + "average. | median")
                    Statistic statistic)
            implements PredictorSettings {}

    @Variant("random_forest | A random forest per operator, identical to Vidur's.")
    record RandomForest(
            @Key("Range of sizes; beyond the measured sizes the value of the last leaf continues.") Range range,
            @Key("Candidate numbers of trees; cross-validation chooses. | [250] | trees | 1..100000")
                    List<Integer> numEstimators,
            @Key("Candidate depths. | [16] | splits | 1..1000") List<Integer> maxDepth,
            @Key("Candidates for the minimum rows of a split node. | [2] | rows | 2..1000000000")
                    List<Integer> minSamplesSplit,
            @Key("Folds of the cross-validation. | 10 | folds | 2..1000000") int kFoldCvSplits,
            @Key("Seed of the generator of the forests' seeds, which it draws in the order of the operators. | 42 "
                            + "| 0..4294967295")
                    long seed)
            implements PredictorSettings {}

    @Variant("linear_regression | A polynomial per operator; cross-validation chooses its form.")
    record LinearRegression(
            @Key("Range of sizes; beyond the measured sizes the polynomial continues.") Range range,
            @Key("Candidate degrees. | [1, 2, 3, 4, 5] | 1..10") List<Integer> polynomialDegree,
            @Key("Candidates: whether the terms include a constant. | [true, false]")
                    List<Boolean> polynomialIncludeBias,
            @Key("Candidates: whether a feature appears at most once in a term. | [true, false]")
                    List<Boolean> polynomialInteractionOnly,
            @Key("Candidates: whether means are subtracted before the fit. | [true, false]") List<Boolean> fitIntercept,
            @Key("Folds of the cross-validation. | 10 | folds | 2..1000000") int kFoldCvSplits)
            implements PredictorSettings {}

    @Variant("tables | Read from existing tables, without a bundle.")
    record Tables(
            @Key("Directory with a file <operator>.csv, plain or gzip, for each operator.") Path dir,
            @Key("Granularity of KV-cache lengths in the tables. | 64 | tokens | 1..1000000") int kvGranularity)
            implements PredictorSettings {}

    /** A statistic of a row of measurements. */
    enum Statistic {
        MEDIAN, // Median of the samples.
        MEAN // Mean of the samples.
    }

    /** Range of sizes; null for the measured range of the bundle. */
    record Range(
            @Key("KV-cache lengths are rounded up to a multiple of this. | 64 | tokens | 1..1000000") int kvGranularity,
            @Key("Maximum token count of a batch. | null | tokens | 1..1000000") Optional<Integer> maxTokens,
            @Key("Maximum number of requests in a batch. | null | requests | 1..1000000")
                    Optional<Integer> maxBatchSize,
            @Key("Maximum KV-cache length. | null | tokens | 1..100000000") Optional<Integer> maxKvTokens,
            @Key("Maximum prefill chunk. | null | tokens | 1..1000000") Optional<Integer> maxChunkTokens) {}
}
