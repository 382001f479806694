package dev.stagesim.verify.fidelity;

/**
 * A predicted row.
 *
 * @param predicted the value, in the unit of the row
 */
record RowPrediction(Row row, double predicted) {
    /** How far off it is, in percent of the measured value; negative when the prediction is smaller. */
    double percent() {
        return 100 * (predicted - row.value()) / row.value();
    }
}
