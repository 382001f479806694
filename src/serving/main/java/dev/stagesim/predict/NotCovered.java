package dev.stagesim.predict;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;

/** The error of a query beyond a predictor's coverage. */
final class NotCovered {
    private static final String CATEGORY = "prediction error";

    private NotCovered() {}

    static StageException missing(Operator operator) {
        return StageException.input(
                Problem.of(CATEGORY, operator.column(), "the operator times do not have this operator")
                        .hint(
                                "profile it, or change tensor and pipeline parallelism or CPU overheads so that it is not needed"));
    }

    static StageException beyond(Operator operator, String key, long requested, long minimum, long maximum) {
        return StageException.input(Problem.of(
                        CATEGORY,
                        operator.column(),
                        key + " " + requested + " is outside " + minimum + " to " + maximum)
                .hint("take a bundle (profile.grid) or tables that reach further, extrapolate with predictor.range."
                        + limit(key) + "=" + requested + " or more and predictor.extrapolation=linear, or "
                        + lower(key)));
    }

    /** A key within the range of the tables without a row. */
    static StageException hole(Operator operator, String keys) {
        return StageException.input(
                Problem.of(CATEGORY, operator.column(), "no row of the tables has " + keys)
                        .hint(
                                "add the row; predictor.kv_granularity must be the step of the tables' KV lengths, or a multiple of it"));
    }

    private static String limit(String key) {
        return switch (key) {
            case "batch size" -> "max_batch_size";
            case "chunk" -> "max_chunk_tokens";
            case "KV length" -> "max_kv_tokens";
            default -> "max_tokens";
        };
    }

    private static String lower(String key) {
        return switch (key) {
            case "batch size" -> "lower scheduler.batch_size_cap";
            case "chunk" -> "lower scheduler.chunk_size or max_tokens_in_batch";
            case "KV length" -> "cap requests with workload.max_tokens";
            default -> "lower scheduler.batch_size_cap, chunk_size or max_tokens_in_batch";
        };
    }
}
