package dev.stagesim.stage.calibrate;

import dev.stagesim.contract.TableSchema;
import java.util.List;

/** Schemas of the tables of the stage {@code calibrate}. */
final class CalibrationTables {
    static final TableSchema COEFFICIENTS = TableSchema.of(
            """
            coefficients.csv 1 | Terms of the calibrated simulation with their 95 % intervals, by resampled
                    requests.
            term | text | Name, as in calibrate.terms.
            unit | text? | ms, or empty for a factor.
            fitted | bool | False if it is the value of the bundle.
            value | real 0.. | The value.
            low | real 0.. | Lower end of the interval; equal to the value if it was not fitted.
            high | real 0.. | Upper end of the interval.
            """);

    static final TableSchema REQUESTS = TableSchema.of(
            """
            calibration_requests.csv 2 | Measured times of the completed requests, and times simulated with the
                    original and with the calibrated bundle.
            run_id | text | Measured run.
            request_id | int 0.. | Number of the request.
            part | text fit/held_out | What the request was used for.
            ttft_real_ns | real ns 0.. | Measured time to first token.
            ttft_before_ns | real ns 0.. | Simulated with the original bundle.
            ttft_after_ns | real ns 0.. | Simulated with the calibrated bundle.
            tpot_real_ns | real? ns 0.. | Measured mean time per output token after the first; empty for one token.
            tpot_before_ns | real? ns 0.. | Simulated with the original bundle.
            tpot_after_ns | real? ns 0.. | Simulated with the calibrated bundle.
            e2e_real_ns | real ns 0.. | Measured time from arrival to last token.
            e2e_before_ns | real ns 0.. | Simulated with the original bundle.
            e2e_after_ns | real ns 0.. | Simulated with the calibrated bundle.
            """);

    private CalibrationTables() {}

    static List<TableSchema> all() {
        return List.of(COEFFICIENTS, REQUESTS);
    }
}
