package dev.stagesim.contract;

import java.util.List;
import java.util.stream.Stream;

/**
 * The tables of a comparison. The side {@code real} is what is compared with, {@code sim} what is judged; a difference
 * is sim - real, a percentage is of real.
 */
public final class CompareTables {
    public static final TableSchema PERCENTILES = TableSchema.of(
            """
            tables/percentiles.csv 1 | Mean, percentiles and maximum of every metric on both sides; quantiles by
                    linear interpolation (type 7).
            metric | text | ttft, tpot, token_gap, e2e or norm_latency.
            definition | text? | Letter of the definition; empty where there is only one.
            statistic | text | mean, p50, ..., p99.9 or max.
            source | text | measured, or published where only an aggregate of the real side is known.
            n_real | int? 0.. | Values on the real side; empty when not stated.
            n_sim | int 0.. | Values on the sim side.
            real_ns | real? ns | Real side.
            sim_ns | real? ns | Sim side.
            difference_ns | real? ns | sim - real.
            difference_percent | real? % | Difference in percent of real.
            real_low_ns | real? ns | Lower end of the 95 % interval of real.
            real_high_ns | real? ns | Upper end.
            sim_low_ns | real? ns | Lower end of the 95 % interval of sim.
            sim_high_ns | real? ns | Upper end.
            difference_low_percent | real? % | Lower end of the 95 % interval of the difference.
            difference_high_percent | real? % | Upper end.
            reliable | bool | False when fewer than ten values are expected beyond the percentile.
            """);

    public static final TableSchema DISTANCES = TableSchema.of(
            """
            tables/distances.csv 1 | Distances between the distributions of the two sides.
            metric | text | ttft, tpot, token_gap, e2e or norm_latency.
            n_real | int 1.. | Values on the real side.
            n_sim | int 1.. | Values on the sim side.
            kolmogorov_smirnov | real 0.. | Greatest gap between the distribution functions.
            wasserstein1_ns | real ns 0.. | Area between the distribution functions.
            wasserstein1_percent | real? % | The same in percent of the real mean.
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
            pearson | real? | Linear correlation; empty when a side is constant.
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
            tables/alignment.csv 1 | Which requests are compared, and why the others are not.
            request_id | int 0.. | Number of the request on both sides.
            outcome | text | compared, warm_up, cancelled, failed_real or failed_sim.
            tokens_compared | int tokens 0.. | Output tokens compared.
            sim_tokens_cut | int tokens 0.. | Simulated tokens beyond those, left out.
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
            tables/step.csv 2 | Times of a measured suite workload beside every prediction and beside a second
                    measured run.
            quantity | text | step, layers, input_wait or forward_pass.
            predictor | text | roofline, array, held_out, or sim for the run that was given.
            real_ns | real ns 0.. | Measured; of layers, those that the prediction covers.
            sim_ns | real ns 0.. | Predicted, or measured in the second run.
            difference_percent | real? % | Difference in percent of real; empty where real is 0.
            fold | real? | Median factor that layers are off; empty where layers were not measured.
            """);

    public static final TableSchema STEP_LAYERS = TableSchema.of(
            """
            tables/layers.csv 1 | Layers and directions of a measured suite workload beside their predictions.
            layer | text | Layer: its number and its name.
            direction | text | forward, backward or update.
            op_class | text | Kind of operator with most of the predicted time.
            real_ns | real? ns | Measured; empty where the step was compiled or not traced.
            roofline_ns | real? ns | Least time at the rates that a probe reached.
            array_ns | real? ns | Products on an array; empty where nothing is multiplied.
            held_out_ns | real? ns | Roofline with efficiencies that were fitted on other families.
            sim_ns | real? ns | The run that was given.
            """);

    public static final TableSchema STEP_CLASSES = TableSchema.of(
            """
            tables/classes.csv 1 | Classes of operators of a measured suite workload, with the efficiency that other
                    families reach.
            op_class | text | Class of operators.
            real_ns | real? ns | Measured, all layers of the class.
            roofline_ns | real? ns | Least time.
            efficiency | real? | Share of the roofline that this workload reaches.
            held_out_efficiency | real? | The same of other families; empty where none has the class.
            """);

    public static final TableSchema HELD_OUT = TableSchema.of(
            """
            tables/held_out.csv 1 | How far predictions of suite workloads are off when nothing is fitted on their
                    own family.
            family | text | Family.
            label | text | Name in the suite.
            roofline_fold | real? | Median factor that a layer's roofline is off.
            array_fold | real? | The same of the array, over layers that multiply.
            held_out_fold | real? | The same of the fitted times.
            """);

    private CompareTables() {}

    /** All tables, in the order of the reference page. */
    public static List<TableSchema> all() {
        return Stream.concat(ofRequests().stream(), ofSteps().stream()).toList();
    }

    public static List<TableSchema> ofRequests() {
        return List.of(PERCENTILES, DISTANCES, ERRORS, THROUGHPUT, ALIGNMENT, REQUESTS);
    }

    /** Tables of a comparison of a suite workload. */
    public static List<TableSchema> ofSteps() {
        return List.of(STEP, STEP_LAYERS, STEP_CLASSES, HELD_OUT);
    }
}
