package dev.stagesim.contract;

import static dev.stagesim.contract.Column.float64;
import static dev.stagesim.contract.Column.int64;
import static dev.stagesim.contract.Column.string;

import dev.stagesim.model.BatchOperators;
import java.util.ArrayList;
import java.util.List;

/** Tables that only a simulated run has: how its machines were used and where the time went. */
public final class SimulationTables {
    /** Quantities of {@link #UTILIZATION}. */
    public static final List<String> QUANTITIES = List.of("memory_usage", "busy_time_percent", "mfu");

    /** Series of {@link #COMPLETIONS}. */
    public static final List<String> SERIES =
            List.of("request_arrival", "request_completion", "prefill_completion", "decode_completion");

    public static final TableSchema UTILIZATION = new TableSchema(
            "utilization.csv",
            1,
            "How full memory was and how busy and efficient each stage was, one row per replica, stage and quantity.",
            List.of(
                    int64("replica_id", "", "Replica.").atLeast(0),
                    int64("stage_id", "", "Pipeline stage; empty for the replica's memory.")
                            .atLeast(0)
                            .orEmpty(),
                    string(
                                    "quantity",
                                    "KV blocks in use, time with a batch, or model FLOPs, each in percent of all there is.")
                            .oneOf(QUANTITIES),
                    float64("min_percent", "%", "Least value.").atLeast(0),
                    float64("max_percent", "%", "Greatest value.").atLeast(0),
                    float64("mean_percent", "%", "Mean over time; empty when no time passed.")
                            .atLeast(0)
                            .orEmpty(),
                    string("reference_name", "Vidur's name of the file; with compat=vidur only.")
                            .optional()),
            List.of());

    public static final TableSchema TOKEN_TIME_CDF = cdf(
            "decode_token_time_cdf.csv",
            "decode_token_time_s",
            "Time of output tokens after the first: from the request's last iteration to the token.");

    public static final TableSchema BATCH_TIME_CDF =
            cdf("batch_execution_time_cdf.csv", "batch_execution_time_s", "Time of batches from formation to end.");

    public static final TableSchema COMPLETIONS = new TableSchema(
            "completion_series.csv",
            1,
            "How requests and tokens came and were done over time, rows of all series in order of time.",
            List.of(
                    string("series", "What is counted: requests, or tokens of prompts and outputs.")
                            .oneOf(SERIES),
                    float64("time_s", "s", "When.").atLeast(0),
                    int64("total", "", "How many so far, this one included.").atLeast(1)),
            List.of());

    public static final TableSchema OPERATIONS = operations(
            "operation_metrics.csv",
            "Operator times of one layer, one row per batch in order of their end; mean over stages.",
            BatchOperators.MODEL);

    public static final TableSchema HOST_OPERATIONS = operations(
            "cpu_operation_metrics.csv",
            "Host times and whole model time of a stage, one row per batch in order of their end.",
            BatchOperators.HOST);

    private SimulationTables() {}

    /** All tables, in the order of the reference page. */
    public static List<TableSchema> all() {
        return List.of(UTILIZATION, TOKEN_TIME_CDF, BATCH_TIME_CDF, COMPLETIONS, OPERATIONS, HOST_OPERATIONS);
    }

    private static TableSchema cdf(String name, String value, String doc) {
        return new TableSchema(
                name,
                1,
                doc + " Quantiles 0 to 1 by hundredths from a sketch with 0.1 % relative accuracy.",
                List.of(
                        float64("cdf", "", "Share of values at or below.").atLeast(0),
                        float64(value, "s", "The quantile.").atLeast(0)),
                List.of());
    }

    private static TableSchema operations(String name, String doc, List<String> operators) {
        List<Column> columns = new ArrayList<>();
        columns.add(int64("batch_id", "", "Number of the batch.").atLeast(0));
        for (String operator : operators) {
            columns.add(float64(operator, "ms", "Time of " + operator + "; empty where a batch has none.")
                    .atLeast(0)
                    .orEmpty());
        }
        return new TableSchema(name, 1, doc, columns, List.of());
    }
}
