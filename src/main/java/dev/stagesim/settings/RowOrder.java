package dev.stagesim.settings;

/** Order in which the rows of a file are used. */
public enum RowOrder {
    FILE, // As in the file.
    SHUFFLED // In random order, by the seed.
}
