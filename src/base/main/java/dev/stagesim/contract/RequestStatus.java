package dev.stagesim.contract;

import dev.stagesim.model.KeyNames;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Outcome of a request; the values of the {@code status} column. */
public enum RequestStatus {
    COMPLETED, // All its tokens were received.
    FAILED, // It ended with an error; its times may be empty.
    CANCELLED, // Its client cancelled it; it can have a first token.
    /** The run ended before the request. */
    UNFINISHED;

    private final String text = KeyNames.constant(this);

    /** Returns the text in tables. */
    public String text() {
        return text;
    }

    /** Returns the status for a text from a checked reader. */
    public static RequestStatus of(String text) {
        return valueOf(text.toUpperCase(Locale.ROOT));
    }

    static List<String> texts() {
        return Arrays.stream(values()).map(RequestStatus::text).toList();
    }
}
