package dev.stagesim.contract;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** How far a job of a sweep is; the texts of the {@code status} column. */
public enum JobStatus {
    DONE, // Its run is there.
    CHECK_FAILED, // Its run is there, and a check that was asked for did not hold.
    FAILED, // It ended with an error.
    PENDING, // It has not begun.
    /** It was at work when the sweep was interrupted. */
    INTERRUPTED;

    /** Text in the table. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static List<String> texts() {
        return Arrays.stream(values()).map(JobStatus::text).toList();
    }
}
