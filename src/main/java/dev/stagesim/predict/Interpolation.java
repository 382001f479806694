package dev.stagesim.predict;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalInt;

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
    private static final String WHERE = "predictor.range.";

    @Override
    public OperatorTimes fit(Profile profile) {
        Map<Operator, Knots> knots = new EnumMap<>(Operator.class);
        profile.curves().forEach((operator, curve) -> knots.put(operator, Knots.of(curve, outlierThreshold)));
        OperatorTimes.Coverage coverage = coverage(profile, knots);
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

    private OperatorTimes.Coverage coverage(Profile profile, Map<Operator, Knots> knots) {
        List<Problem> problems = new ArrayList<>();
        int tokens = Integer.MAX_VALUE;
        int requests = greatestCount(profile.decode());
        for (Map.Entry<Operator, Knots> entry : knots.entrySet()) {
            if (profile.curve(entry.getKey()).map(Curve::isZero).orElse(true)) {
                continue;
            }
            int greatest = (int) entry.getValue().greatest();
            if (entry.getKey().key() == Operator.Key.TOKENS) {
                tokens = Math.min(tokens, greatest);
            } else {
                requests = Math.min(requests, greatest);
            }
        }
        int kv = Math.min(greatestKv(profile.prefill()), greatestKv(profile.decode()));
        OperatorTimes.Coverage coverage = new OperatorTimes.Coverage(
                asked("max_tokens", range.maxTokens(), tokens, profile, problems),
                asked("max_batch_size", range.maxBatch(), requests, profile, problems),
                wholeSteps(asked("max_kv_tokens", range.maxKvTokens(), kv, profile, problems)),
                asked(
                        "max_chunk_tokens",
                        range.maxChunkTokens(),
                        Math.min(tokens, greatestCount(profile.prefill())),
                        profile,
                        problems),
                range.kvGranularity());
        if (!problems.isEmpty()) {
            throw StageException.input(problems);
        }
        return coverage;
    }

    private int wholeSteps(int kvTokens) {
        return kvTokens / range.kvGranularity() * range.kvGranularity();
    }

    private int asked(String key, OptionalInt asked, int measured, Profile profile, List<Problem> problems) {
        int value = asked.orElse(measured);
        if (value > measured && extrapolation == Extrapolation.NONE) {
            problems.add(Problem.of(
                            "config error",
                            WHERE + key,
                            value + " is beyond what was measured, expected at most " + measured)
                    .from(profile.name())
                    .hint("predictor.extrapolation=linear goes on with the slope of the upper half"));
        }
        return value;
    }

    private static int greatestCount(Surface surface) {
        int greatest = 0;
        for (int i = 0; i < surface.rows(); i++) {
            greatest = Math.max(greatest, surface.count(i));
        }
        return greatest;
    }

    private static int greatestKv(Surface surface) {
        int greatest = 0;
        for (int i = 0; i < surface.rows(); i++) {
            greatest = Math.max(greatest, surface.kvTokens(i));
        }
        return greatest;
    }
}
