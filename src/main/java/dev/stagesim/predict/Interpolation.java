package dev.stagesim.predict;

import dev.stagesim.model.Extrapolation;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.function.IntToDoubleFunction;

/**
 * Predictor that joins the medians of the measured points by straight lines.
 *
 * <p>Against measured bundles its error on held-out sizes is like that of a random forest for operators keyed by tokens
 * and a little larger for attention; it is not a replacement where equality with a forest's tables is wanted.
 *
 * @param range keys to answer for
 * @param extrapolation what happens beyond the greatest measured size
 * @param outlierThreshold a point further than the factor 1 + threshold from the median of its five neighbours is left
 *     out; empty keeps every point
 */
public record Interpolation(Range range, Extrapolation extrapolation, OptionalDouble outlierThreshold)
        implements Predictor {
    @Override
    public OperatorTimes fit(Profile profile) {
        Map<Operator, Knots> knots = new EnumMap<>(Operator.class);
        profile.curves().forEach((operator, curve) -> knots.put(operator, Knots.of(curve, outlierThreshold)));
        OperatorTimes.Coverage coverage =
                Reach.of(profile, range, extrapolation != Extrapolation.NONE, operator -> Objects.requireNonNull(
                                knots.get(operator))
                        .greatest());
        Map<Operator, IntToDoubleFunction> curves = new EnumMap<>(Operator.class);
        knots.forEach((operator, line) -> curves.put(operator, line::at));
        Lines prefill = lines(profile.prefill(), coverage, coverage.maxChunkTokens());
        Lines decode = lines(profile.decode(), coverage, coverage.maxBatch());
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
        return Reach.extrapolated(profile, range);
    }

    private Lines lines(Surface surface, OperatorTimes.Coverage coverage, int maxCount) {
        return Lines.of(surface, range.kvGranularity(), coverage.maxKvTokens(), maxCount, outlierThreshold);
    }
}
