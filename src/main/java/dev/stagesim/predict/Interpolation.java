package dev.stagesim.predict;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;

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
        Map<Operator, double[]> tables = new EnumMap<>(Operator.class);
        knots.forEach((operator, line) -> tables.put(operator, table(operator, line, coverage)));
        return new InterpolatedTimes(
                coverage,
                tables,
                lines(profile.prefill(), coverage, coverage.maxChunkTokens()),
                lines(profile.decode(), coverage, coverage.maxBatch()));
    }

    private Lines lines(Surface surface, OperatorTimes.Coverage coverage, int maxCount) {
        return Lines.of(surface, range.kvGranularity(), coverage.maxKvTokens(), maxCount, outlierThreshold);
    }

    private static double[] table(Operator operator, Knots knots, OperatorTimes.Coverage coverage) {
        boolean tokens = operator.key() == Operator.Key.TOKENS;
        double[] table = new double[(tokens ? coverage.maxTokens() : coverage.maxBatch()) + 1];
        for (int i = 0; i < table.length; i++) {
            table[i] = knots.at(i);
        }
        return table;
    }
}
