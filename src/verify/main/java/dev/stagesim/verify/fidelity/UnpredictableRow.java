package dev.stagesim.verify.fidelity;

/** Thrown for a row that cannot be predicted; the message is the reason. */
final class UnpredictableRow extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnpredictableRow(String why) {
        super(why, null, false, false);
    }

    String why() {
        return String.valueOf(getMessage());
    }
}
