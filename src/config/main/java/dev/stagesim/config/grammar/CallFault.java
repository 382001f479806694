package dev.stagesim.config.grammar;

/** An invalid function call. The evaluator adds the position. */
final class CallFault extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String hint;

    CallFault(String message, String hint) {
        super(message, null, false, false);
        this.hint = hint;
    }

    CallFault(String message) {
        this(message, "");
    }

    String hint() {
        return hint;
    }

    String message() {
        return String.valueOf(getMessage());
    }
}
