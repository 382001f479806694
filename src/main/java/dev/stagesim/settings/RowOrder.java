package dev.stagesim.settings;

/** Order in which the rows of a file are used. */
public enum RowOrder {
    /** As in the file. */
    FILE,
    /** In random order, by the seed. */
    SHUFFLED
}
