package dev.stagesim.settings;

/** What happens when the recorded arrivals of a file are not in order of time. */
public enum UnsortedRows {
    ERROR, // The first row that is earlier than the one before is an error.
    SORT // The rows are sorted, with a warning; rows of equal time keep their order.
}
