package dev.stagesim.settings;

/** What happens to a row without prompt tokens or without output tokens, as logs of services have for failed requests. */
public enum EmptyRows {
    ERROR, // The row is an error; with compat=vidur the count becomes 1.
    DROP // The row is left out, with a warning.
}
