package dev.stagesim.verify.fidelity;

/**
 * A predicted row.
 *
 * @param predicted the value, in the unit of the row
 */
record RowPrediction(Row row, double predicted) {
    /** Returns the error in percent of the measured value; negative if the prediction is too small. */
    double percent() {
        return 100 * (predicted - row.value()) / row.value();
    }
}
