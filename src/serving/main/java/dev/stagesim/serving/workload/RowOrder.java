package dev.stagesim.serving.workload;

/** Order of the rows of a file. */
public enum RowOrder {
    FILE, // As in the file.
    SHUFFLED // In random order, determined by the seed.
}
