package dev.stagesim.verify.fidelity;

/** A row that is not predicted, and why. */
final class UnpredictableRow extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnpredictableRow(String why) {
        super(why, null, false, false);
    }

    String why() {
        return String.valueOf(getMessage());
    }
}
