package dev.stagesim.predict;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.ToDoubleFunction;

/** How far a profile was measured, and from that the keys that a predictor answers for. */
final class Reach {
    private static final String WHERE = "predictor.range.";

    private static final int MOST_LENGTHS = 1_000_000;

    private final Profile profile;
    private final Range range;
    private final boolean mayGoBeyond;
    private final ToDoubleFunction<Operator> greatest;
    private final List<Problem> problems = new ArrayList<>();
    private final List<String> beyond = new ArrayList<>();

    private Reach(Profile profile, Range range, boolean mayGoBeyond, ToDoubleFunction<Operator> greatest) {
        this.profile = profile;
        this.range = range;
        this.mayGoBeyond = mayGoBeyond;
        this.greatest = greatest;
    }

    /**
     * The asked range where one is asked, else as far as was measured.
     *
     * @param greatest greatest measured size that counts, for an operator keyed by one number
     */
    static OperatorTimes.Coverage of(
            Profile profile, Range range, boolean mayGoBeyond, ToDoubleFunction<Operator> greatest) {
        return new Reach(profile, range, mayGoBeyond, greatest).coverage();
    }

    /** The same for a predictor that goes beyond and takes every row for true. */
    static OperatorTimes.Coverage of(Profile profile, Range range) {
        return of(
                profile,
                range,
                true,
                operator -> greatest(profile.curve(operator).orElseThrow()));
    }

    /** Returns in words how far a range goes beyond the sizes of a profile; empty if it does not. */
    static List<String> extrapolated(Profile profile, Range range) {
        Reach reach = new Reach(
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
            int most = (int) greatest.applyAsDouble(entry.getKey());
            if (entry.getKey().key() == Operator.Key.TOKENS) {
                tokens = Math.min(tokens, most);
            } else {
                requests = Math.min(requests, most);
            }
        }
        int kv = Math.min(greatestKv(profile.prefill()), greatestKv(profile.decode()));
        int chunk = Math.min(tokens, greatestCount(profile.prefill()));
        int lengths = asked("max_kv_tokens", range.maxKvTokens(), kv) / range.kvGranularity();
        if (lengths > MOST_LENGTHS) {
            problems.add(Problem.of(
                            "config error",
                            WHERE + "max_kv_tokens",
                            "makes " + lengths + " lengths, expected at most " + MOST_LENGTHS)
                    .hint("lower it, or raise predictor.range.kv_granularity"));
        }
        OperatorTimes.Coverage coverage = new OperatorTimes.Coverage(
                asked("max_tokens", range.maxTokens(), tokens),
                asked("max_batch_size", range.maxBatch(), requests),
                lengths * range.kvGranularity(),
                asked("max_chunk_tokens", range.maxChunkTokens(), chunk),
                range.kvGranularity());
        StageException.refuse(problems);
        return coverage;
    }

    private int asked(String key, OptionalInt asked, int measured) {
        int value = asked.orElse(measured);
        if (value > measured) {
            beyond.add(WHERE + key + "=" + value + ", profiled up to " + measured);
        }
        if (value > measured && !mayGoBeyond) {
            problems.add(
                    Problem.config(WHERE + key, value + " is beyond what was measured, expected at most " + measured)
                            .from(profile.name())
                            .hint("predictor.extrapolation=linear continues with the slope of the upper half"));
        }
        return value;
    }

    private static double greatest(Curve curve) {
        double greatest = 0;
        for (int i = 0; i < curve.rows(); i++) {
            greatest = Math.max(greatest, curve.size(i));
        }
        return greatest;
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
