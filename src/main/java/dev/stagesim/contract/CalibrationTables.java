package dev.stagesim.contract;

import static dev.stagesim.contract.Column.bool;
import static dev.stagesim.contract.Column.float64;
import static dev.stagesim.contract.Column.int64;
import static dev.stagesim.contract.Column.string;

import java.util.List;

/** The tables of a calibration. */
public final class CalibrationTables {
    private static final String NS = "ns";

    /** The terms. */
    public static final TableSchema COEFFICIENTS = new TableSchema(
            "coefficients.csv",
            1,
            "Terms of the calibrated simulation with their 95 % intervals, by resampled requests.",
            List.of(
                    string("term", "Name, as in calibrate.terms."),
                    string("unit", "ms, or empty for a factor.").orEmpty(),
                    bool("fitted", "False when it stayed as the bundle has it."),
                    float64("value", "", "The value.").atLeast(0),
                    float64("low", "", "Lower end of the interval; the value when it was not fitted.")
                            .atLeast(0),
                    float64("high", "", "Upper end of the interval.").atLeast(0)),
            List.of());

    /** Every request before and after. */
    public static final TableSchema REQUESTS = new TableSchema(
            "calibration_requests.csv",
            1,
            "Measured times of the completed requests, and those simulated with the bundle as it was and as it was calibrated.",
            List.of(
                    int64("request_id", "", "Number of the request.").atLeast(0),
                    string("part", "What the request was used for.").oneOf(List.of("fit", "held_out")),
                    float64("ttft_real_ns", NS, "Measured time to first token.").atLeast(0),
                    float64("ttft_before_ns", NS, "Simulated with the bundle as it was.")
                            .atLeast(0),
                    float64("ttft_after_ns", NS, "Simulated with the calibrated bundle.")
                            .atLeast(0),
                    float64(
                                    "tpot_real_ns",
                                    NS,
                                    "Measured mean time per output token after the first; empty for one token.")
                            .atLeast(0)
                            .orEmpty(),
                    float64("tpot_before_ns", NS, "The same with the bundle as it was.")
                            .atLeast(0)
                            .orEmpty(),
                    float64("tpot_after_ns", NS, "The same with the calibrated bundle.")
                            .atLeast(0)
                            .orEmpty(),
                    float64("e2e_real_ns", NS, "Measured time from arrival to last token.")
                            .atLeast(0),
                    float64("e2e_before_ns", NS, "The same with the bundle as it was.")
                            .atLeast(0),
                    float64("e2e_after_ns", NS, "The same with the calibrated bundle.")
                            .atLeast(0)),
            List.of(new RowInvariant.Increasing("request_id")));

    private CalibrationTables() {}

    /** All tables, in the order of the reference page. */
    public static List<TableSchema> all() {
        return List.of(COEFFICIENTS, REQUESTS);
    }
}
