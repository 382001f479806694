package dev.stagesim.settings;

/** What happens when the recorded arrivals of a file are not in order of time. */
public enum UnsortedRows {
    /** The first row that is earlier than the one before is an error. */
    ERROR,
    /** The rows are sorted, with a warning; rows of equal time keep their order. */
    SORT
}
