package dev.stagesim.config.interp;

import java.util.List;

/**
 * A function that configurations call as {@code ${name:argument, ...}}.
 *
 * @param name letters, digits, underscores and dots
 * @param usage the arguments as shown in help: {@code key[, default]}
 * @param doc one sentence
 * @param minArguments minimum number of arguments
 * @param maxArguments maximum number of arguments; {@link #ANY} for no limit
 * @param body computes the value; throws {@link InterpolationException} or IllegalArgumentException on failure
 */
public record Resolver(String name, String usage, String doc, int minArguments, int maxArguments, Body body) {
    public static final int ANY = Integer.MAX_VALUE;

    /** The implementation of a resolver. */
    @FunctionalInterface
    public interface Body {
        Datum call(List<Datum> arguments, ResolverCall call);
    }

    /** Checks the number of arguments and calls the body. Converts its exceptions to InterpolationException. */
    Datum call(List<Datum> arguments, ResolverCall call) {
        if (arguments.size() < minArguments || arguments.size() > maxArguments) {
            throw InterpolationException.failed(
                    name + " takes " + count() + ", got " + arguments.size() + ": ${" + name + ":" + usage + "}");
        }
        try {
            return body.call(arguments, call);
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw InterpolationException.failed(name + ": " + e.getMessage());
        }
    }

    private String count() {
        if (minArguments == maxArguments) {
            return minArguments == 1 ? "1 argument" : minArguments + " arguments";
        }
        return maxArguments == ANY
                ? "at least " + minArguments + " arguments"
                : minArguments + " to " + maxArguments + " arguments";
    }
}
