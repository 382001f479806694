package dev.stagesim.contract;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Outcome of a request; the texts of the {@code status} column. */
public enum RequestStatus {
    COMPLETED, // All its tokens came.
    FAILED, // It ended with an error; its times may be empty.
    CANCELLED, // Its client gave it up; its first token may have come.
    /** The run ended before it did. */
    UNFINISHED;

    /** Text in the table. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The status with a text that a checked reader has accepted. */
    public static RequestStatus of(String text) {
        return valueOf(text.toUpperCase(Locale.ROOT));
    }

    public static List<String> texts() {
        return Arrays.stream(values()).map(RequestStatus::text).toList();
    }
}
