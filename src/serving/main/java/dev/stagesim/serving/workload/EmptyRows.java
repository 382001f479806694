package dev.stagesim.serving.workload;

/** Handling of rows without prompt or output tokens, which service logs contain for failed requests. */
public enum EmptyRows {
    ERROR, // Error; with compat=vidur the count becomes 1.
    DROP // The row is dropped with a warning.
}
