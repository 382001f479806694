package dev.stagesim.cli;

/** A number and what is counted. */
final class Count {
    private Count() {}

    /** The number and the noun, in the plural unless there is one. */
    static String of(long number, String noun) {
        return number + " " + noun + (number == 1 ? "" : "s");
    }
}
