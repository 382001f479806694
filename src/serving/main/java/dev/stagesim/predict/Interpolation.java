package dev.stagesim.predict;

import dev.stagesim.model.Extrapolation;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.function.IntToDoubleFunction;

/**
 * Predictor that interpolates linearly between the medians of the measured points.
 *
 * <p>On measured bundles its cross-validated error is similar to a random forest for operators keyed by tokens, and
 * slightly larger for attention. It does not reproduce a forest's tables.
 *
 * @param range keys to cover
 * @param extrapolation behaviour beyond the maximum measured size
 * @param outlierThreshold a point is discarded if it differs from the median of its five neighbours by more than the
 *     factor 1 + threshold; empty keeps every point
 */
public record Interpolation(Range range, Extrapolation extrapolation, OptionalDouble outlierThreshold)
        implements Predictor {
    @Override
    public OperatorTimes fit(Profile profile) {
        Map<Operator, PiecewiseLinear> knots = new EnumMap<>(Operator.class);
        profile.curves().forEach((operator, curve) -> knots.put(operator, PiecewiseLinear.of(curve, outlierThreshold)));
        OperatorTimes.Coverage coverage = CoverageRange.of(
                profile, range, extrapolation != Extrapolation.NONE, operator -> Objects.requireNonNull(
                                knots.get(operator))
                        .maxSize());
        Map<Operator, IntToDoubleFunction> curves = new EnumMap<>(Operator.class);
        knots.forEach((operator, line) -> curves.put(operator, line::at));
        AttentionSurface prefill = lines(profile.prefill(), coverage, coverage.maxChunkTokens());
        AttentionSurface decode = lines(profile.decode(), coverage, coverage.maxBatch());
        return new TabulatedTimes(coverage, curves) {
            @Override
            double decode(int batch, int kvTokens) {
                return decode.at(kvTokens, batch);
            }

            @Override
            double prefill(int kvTokens, int chunkTokens) {
                return prefill.at(kvTokens, chunkTokens);
            }
        };
    }

    @Override
    public List<String> extrapolated(Profile profile) {
        return CoverageRange.extrapolated(profile, range);
    }

    private AttentionSurface lines(Surface surface, OperatorTimes.Coverage coverage, int maxCount) {
        return AttentionSurface.of(surface, range.kvGranularity(), coverage.maxKvTokens(), maxCount, outlierThreshold);
    }
}
