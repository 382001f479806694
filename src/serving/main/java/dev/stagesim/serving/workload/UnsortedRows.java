package dev.stagesim.serving.workload;

/** Handling of recorded arrivals that are not in time order. */
public enum UnsortedRows {
    ERROR, // The first row that is earlier than its predecessor is an error.
    SORT // The rows are sorted by a stable sort, with a warning.
}
