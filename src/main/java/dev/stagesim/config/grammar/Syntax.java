package dev.stagesim.config.grammar;

import java.util.List;
import java.util.Optional;

/** A value as written, before functions are evaluated: grammar errors come before errors of meaning. */
sealed interface Syntax {
    /** Offset of its first character. */
    int start();

    /** A scalar. */
    record Leaf(Value.Scalar value, int start) implements Syntax {}

    /** A list in brackets. */
    record Items(List<Syntax> items, int start) implements Syntax {}

    /** A map in braces. */
    record Pairs(List<Pair> pairs, int start) implements Syntax {}

    /** One pair of a map. */
    record Pair(Value.Scalar key, Syntax value) {}

    /** A function call; {@code text} is the call as written. */
    record Call(String name, List<Argument> arguments, String text, int start) implements Syntax {}

    /** One argument of a call, named or not. */
    record Argument(Optional<String> name, Syntax value) {}

    /** Elements separated by commas outside brackets: a sweep. */
    record Choice(List<Syntax> items, int start) implements Syntax {}
}
