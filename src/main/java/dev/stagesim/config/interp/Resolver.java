package dev.stagesim.config.interp;

import java.util.List;

/**
 * A function that configurations may call as {@code ${name:argument, ...}}.
 *
 * @param name letters, digits, underscores and dots
 * @param usage its arguments in words, for help: {@code key[, default]}
 * @param doc one sentence
 * @param least fewest arguments
 * @param most greatest number of arguments; {@link #ANY} for no bound
 * @param body computes the value; throws {@link InterpolationException} or IllegalArgumentException when it cannot
 */
public record Resolver(String name, String usage, String doc, int least, int most, Body body) {
    public static final int ANY = Integer.MAX_VALUE;

    /** What a resolver does. */
    @FunctionalInterface
    public interface Body {
        Datum call(List<Datum> arguments, ResolverCall call);
    }

    /** Checks the number of arguments, then calls the body; any complaint becomes an InterpolationException. */
    Datum call(List<Datum> arguments, ResolverCall call) {
        if (arguments.size() < least || arguments.size() > most) {
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
        if (least == most) {
            return least == 1 ? "1 argument" : least + " arguments";
        }
        return most == ANY ? "at least " + least + " arguments" : least + " to " + most + " arguments";
    }
}
