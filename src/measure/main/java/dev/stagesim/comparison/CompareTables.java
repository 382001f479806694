package dev.stagesim.comparison;

import dev.stagesim.contract.RowInvariant;
import dev.stagesim.contract.TableSchema;
import java.util.List;
import java.util.stream.Stream;

/**
 * Tables of a comparison. The side {@code real} is the reference and {@code sim} is judged. A difference is sim - real;
 * a percentage is relative to real.
 */
public final class CompareTables {
    public static final TableSchema PERCENTILES = TableSchema.of(
            """
            tables/percentiles.csv 1 | Mean, percentiles and maximum of every metric on both sides; quantiles by
                    linear interpolation (type 7).
            metric | text | ttft, tpot, token_gap, e2e or norm_latency.
            definition | text? | Letter of the definition; empty if there is only one.
            statistic | text | mean, p50, ..., p99.9 or max.
            source | text | measured, or published if only an aggregate of the real side is available.
            n_real | int? 0.. | Values on the real side; empty if not stated.
            n_sim | int 0.. | Values on the sim side.
            real_ns | real? ns | Real side.
            sim_ns | real? ns | Sim side.
            difference_ns | real? ns | sim - real.
            difference_percent | real? % | Difference in percent of real.
            real_low_ns | real? ns | Lower end of the 95 % interval of real.
            real_high_ns | real? ns | Upper end of the interval.
            sim_low_ns | real? ns | Lower end of the 95 % interval of sim.
            sim_high_ns | real? ns | Upper end of the interval.
            difference_low_percent | real? % | Lower end of the 95 % interval of the difference.
            difference_high_percent | real? % | Upper end of the interval.
            reliable | bool | False if fewer than ten values are expected beyond the percentile.
            """);

    public static final TableSchema DISTANCES = TableSchema.of(
            """
            tables/distances.csv 1 | Distances between the distributions of the two sides.
            metric | text | ttft, tpot, token_gap, e2e or norm_latency.
            n_real | int 1.. | Values on the real side.
            n_sim | int 1.. | Values on the sim side.
            kolmogorov_smirnov | real 0.. | Maximum difference between the distribution functions.
            wasserstein1_ns | real ns 0.. | Area between the distribution functions.
            wasserstein1_percent | real? % | wasserstein1_ns in percent of the real mean.
            """);

    public static final TableSchema ERRORS = TableSchema.of(
            """
            tables/errors.csv 1 | Errors of the sim side, paired request by request.
            metric | text | ttft, tpot, token_gap, e2e or norm_latency.
            n | int requests 1.. | Pairs.
            mape_percent | real? % | Mean absolute percentage error.
            median_ape_percent | real? % | Median absolute percentage error.
            smape_percent | real? % | Symmetric mean absolute percentage error, at most 200.
            bias_percent | real? % | Mean signed percentage error.
            mae_ns | real? ns | Mean absolute error.
            rmse_ns | real? ns | Root mean square error.
            pearson | real? | Linear correlation; empty if a side is constant.
            spearman | real? | Rank correlation.
            kendall | real? | Kendall's tau-b.
            bland_altman_bias_ns | real? ns | Mean difference.
            bland_altman_low_ns | real? ns | Lower limit of agreement.
            bland_altman_high_ns | real? ns | Upper limit of agreement.
            """);

    public static final TableSchema THROUGHPUT = TableSchema.of(
            """
            tables/throughput.csv 1 | Rates from the first arrival to the last completion of the compared requests.
            quantity | text | output_tokens, total_tokens or requests.
            unit | text | Unit of the rate.
            real | real? | Real side.
            sim | real? | Sim side.
            difference_percent | real? % | Difference in percent of real.
            """);

    public static final TableSchema ALIGNMENT = TableSchema.of(
            """
            tables/alignment.csv 1 | Compared requests, and why others are excluded.
            request_id | int 0.. | Number of the request on both sides.
            outcome | text | compared, warm_up, cancelled, failed_real or failed_sim.
            tokens_compared | int tokens 0.. | Output tokens compared.
            sim_tokens_cut | int tokens 0.. | Simulated tokens beyond the compared ones, left out.
            """,
            new RowInvariant.Increasing("request_id"));

    public static final TableSchema REQUESTS = TableSchema.of(
            """
            tables/requests.csv 1 | Both sides of every compared request.
            request_id | int 0.. | Number of the request on both sides.
            num_prefill_tokens | int tokens 0.. | Prompt tokens.
            num_decode_tokens | int tokens 1.. | Output tokens compared.
            arrival_real_ns | int ns 0.. | Arrival since the start of the real side's run.
            arrival_sim_ns | int ns 0.. | Arrival since the start of the sim side's run.
            ttft_real_ns | real? ns | Real side; empty for tpot of one token.
            ttft_sim_ns | real? ns | Sim side.
            ttft_error_percent | real? % | Difference in percent of real.
            tpot_real_ns | real? ns | Real side; empty for tpot of one token.
            tpot_sim_ns | real? ns | Sim side.
            tpot_error_percent | real? % | Difference in percent of real.
            e2e_real_ns | real? ns | Real side; empty for tpot of one token.
            e2e_sim_ns | real? ns | Sim side.
            e2e_error_percent | real? % | Difference in percent of real.
            norm_latency_real_ns | real? ns | Real side; empty for tpot of one token.
            norm_latency_sim_ns | real? ns | Sim side.
            norm_latency_error_percent | real? % | Difference in percent of real.
            """,
            new RowInvariant.Increasing("request_id"));

    public static final TableSchema STEP = TableSchema.of(
            """
            tables/step.csv 2 | Times of a measured suite workload, of every prediction, and of a second measured
                    run.
            quantity | text | step, layers, input_wait or forward_pass.
            predictor | text | roofline, array, held_out, or sim for the given run.
            real_ns | real ns 0.. | Measured; for layers, only layers that the prediction covers.
            sim_ns | real ns 0.. | Predicted, or measured in the second run.
            difference_percent | real? % | Difference in percent of real; empty if real is 0.
            fold | real? | Median error factor of layers; empty if layers were not measured.
            """);

    public static final TableSchema STEP_LAYERS = TableSchema.of(
            """
            tables/layers.csv 1 | Layers and directions of a measured suite workload, and their predictions.
            layer | text | Number and name of the layer.
            direction | text | forward, backward or update.
            op_class | text | Kind of operator with most of the predicted time.
            real_ns | real? ns | Measured; empty if the step was compiled or not traced.
            roofline_ns | real? ns | Minimum time at the rates that a probe reached.
            array_ns | real? ns | Products on an array; empty without products.
            held_out_ns | real? ns | Roofline with efficiencies fitted on other families.
            sim_ns | real? ns | The given run.
            """);

    public static final TableSchema STEP_CLASSES = TableSchema.of(
            """
            tables/classes.csv 1 | Operator classes of a measured suite workload, and the efficiency of other families.
            op_class | text | Operator class.
            real_ns | real? ns | Measured, all layers of the class.
            roofline_ns | real? ns | Minimum time.
            efficiency | real? | Share of the roofline that this workload reaches.
            held_out_efficiency | real? | Share of the roofline that other families reach; empty if none has the class.
            """);

    public static final TableSchema HELD_OUT = TableSchema.of(
            """
            tables/held_out.csv 1 | Errors of predictions of suite workloads without values fitted on the same family.
            family | text | Family.
            label | text | Name in the suite.
            roofline_fold | real? | Median error factor of a layer's roofline.
            array_fold | real? | Median error factor of the array, over layers with products.
            held_out_fold | real? | Median error factor of the fitted times.
            """);

    private CompareTables() {}

    public static List<TableSchema> all() {
        return Stream.concat(ofRequests().stream(), ofSteps().stream()).toList();
    }

    public static List<TableSchema> ofRequests() {
        return List.of(PERCENTILES, DISTANCES, ERRORS, THROUGHPUT, ALIGNMENT, REQUESTS);
    }

    /** Returns the tables of a comparison of a suite workload. */
    static List<TableSchema> ofSteps() {
        return List.of(STEP, STEP_LAYERS, STEP_CLASSES, HELD_OUT);
    }
}
