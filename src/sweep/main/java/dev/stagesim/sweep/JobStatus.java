package dev.stagesim.sweep;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** State of a job of a sweep; the values of the {@code status} column. */
public enum JobStatus {
    /** The run exists. */
    DONE,
    /** The run exists, but a requested check failed. */
    CHECK_FAILED,
    /** The job ended with an error. */
    FAILED,
    /** The job has not started. */
    PENDING,
    /** The job was running when the sweep was interrupted. */
    INTERRUPTED;

    /** Text in the table. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    static List<String> texts() {
        return Arrays.stream(values()).map(JobStatus::text).toList();
    }
}
