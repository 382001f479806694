package dev.stagesim.model;

/** Formats a number with its noun. */
public final class Count {
    private Count() {}

    /** Returns the number and the noun, in the plural unless the number is 1. */
    public static String of(long number, String noun) {
        return number + " " + noun + (number == 1 ? "" : "s");
    }
}
