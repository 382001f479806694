package dev.stagesim.model;

/** A number and what is counted. */
public final class Count {
    private Count() {}

    /** The number and the noun, in the plural unless there is one. */
    public static String of(long number, String noun) {
        return number + " " + noun + (number == 1 ? "" : "s");
    }
}
