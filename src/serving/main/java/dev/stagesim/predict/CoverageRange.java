package dev.stagesim.predict;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.ToDoubleFunction;

/** Measured range of a profile, and the resulting coverage of a predictor. */
final class CoverageRange {
    private static final String WHERE = "predictor.range.";

    private static final int MAX_LENGTHS = 1_000_000;

    private final Profile profile;
    private final Range range;
    private final boolean mayGoBeyond;
    private final ToDoubleFunction<Operator> max;
    private final List<Problem> problems = new ArrayList<>();
    private final List<String> beyond = new ArrayList<>();

    private CoverageRange(Profile profile, Range range, boolean mayGoBeyond, ToDoubleFunction<Operator> max) {
        this.profile = profile;
        this.range = range;
        this.mayGoBeyond = mayGoBeyond;
        this.max = max;
    }

    /**
     * The requested range or, if absent, the measured range.
     *
     * @param max maximum relevant measured size of an operator keyed by one number
     */
    static OperatorTimes.Coverage of(
            Profile profile, Range range, boolean mayGoBeyond, ToDoubleFunction<Operator> max) {
        return new CoverageRange(profile, range, mayGoBeyond, max).coverage();
    }

    /** Coverage of a predictor that extrapolates and uses every row. */
    static OperatorTimes.Coverage of(Profile profile, Range range) {
        return of(
                profile,
                range,
                true,
                operator -> greatest(profile.curve(operator).orElseThrow()));
    }

    /** Describes how far a range exceeds the measured sizes of a profile; empty if it does not. */
    static List<String> extrapolated(Profile profile, Range range) {
        CoverageRange reach = new CoverageRange(
                profile,
                range,
                true,
                operator -> greatest(profile.curve(operator).orElseThrow()));
        reach.coverage();
        return reach.beyond;
    }

    private OperatorTimes.Coverage coverage() {
        int tokens = Integer.MAX_VALUE;
        int requests = greatestCount(profile.decode());
        for (Map.Entry<Operator, Curve> entry : profile.curves().entrySet()) {
            if (entry.getValue().isZero()) {
                continue;
            }
            int maxSize = (int) max.applyAsDouble(entry.getKey());
            if (entry.getKey().key() == Operator.Key.TOKENS) {
                tokens = Math.min(tokens, maxSize);
            } else {
                requests = Math.min(requests, maxSize);
            }
        }
        int kv = Math.min(greatestKv(profile.prefill()), greatestKv(profile.decode()));
        int chunk = Math.min(tokens, greatestCount(profile.prefill()));
        int lengths = requested("max_kv_tokens", range.maxKvTokens(), kv) / range.kvGranularity();
        if (lengths > MAX_LENGTHS) {
            problems.add(Problem.of(
                            "config error",
                            WHERE + "max_kv_tokens",
                            "makes " + lengths + " lengths, expected at most " + MAX_LENGTHS)
                    .hint("lower it, or raise predictor.range.kv_granularity"));
        }
        OperatorTimes.Coverage coverage = new OperatorTimes.Coverage(
                requested("max_tokens", range.maxTokens(), tokens),
                requested("max_batch_size", range.maxBatch(), requests),
                lengths * range.kvGranularity(),
                requested("max_chunk_tokens", range.maxChunkTokens(), chunk),
                range.kvGranularity());
        StageException.refuse(problems);
        return coverage;
    }

    private int requested(String key, OptionalInt requested, int measured) {
        int value = requested.orElse(measured);
        if (value > measured) {
            beyond.add(WHERE + key + "=" + value + ", profiled up to " + measured);
        }
        if (value > measured && !mayGoBeyond) {
            problems.add(
                    Problem.config(WHERE + key, value + " is beyond the measured maximum, expected at most " + measured)
                            .from(profile.name())
                            .hint("predictor.extrapolation=linear continues with the slope of the upper half"));
        }
        return value;
    }

    private static double greatest(Curve curve) {
        double max = 0;
        for (int i = 0; i < curve.rows(); i++) {
            max = Math.max(max, curve.size(i));
        }
        return max;
    }

    private static int greatestCount(Surface surface) {
        int max = 0;
        for (int i = 0; i < surface.rows(); i++) {
            max = Math.max(max, surface.count(i));
        }
        return max;
    }

    private static int greatestKv(Surface surface) {
        int max = 0;
        for (int i = 0; i < surface.rows(); i++) {
            max = Math.max(max, surface.kvTokens(i));
        }
        return max;
    }
}
