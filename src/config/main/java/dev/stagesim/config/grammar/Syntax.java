package dev.stagesim.config.grammar;

import java.util.List;
import java.util.Optional;

/**
 * A parsed value before function calls and interpolations are evaluated. Grammar errors are reported before evaluation
 * errors.
 */
public sealed interface Syntax {
    /** Returns the offset of the first character. */
    int start();

    record Leaf(Value.Scalar value, int start) implements Syntax {}

    record Items(List<Syntax> items, int start) implements Syntax {}

    /** A map in braces. */
    record Pairs(List<Pair> pairs, int start) implements Syntax {}

    /** One pair of a map. */
    record Pair(Value.Scalar key, Syntax value) {}

    /**
     * A function call.
     *
     * @param text the call as written
     */
    record Call(String name, List<Argument> arguments, String text, int start) implements Syntax {}

    /** One argument of a call. The name is optional. */
    record Argument(Optional<String> name, Syntax value) {}

    /** Elements separated by commas outside brackets: a sweep. */
    record Choice(List<Syntax> items, int start) implements Syntax {}

    /** A sequence of text and interpolations. A single unquoted interpolation keeps the type of its value. */
    record Template(List<Piece> pieces, boolean isQuoted, int start) implements Syntax {
        public Template {
            pieces = List.copyOf(pieces);
        }
    }

    /** A part of a template. */
    sealed interface Piece {}

    /** Literal text with resolved escapes. */
    record Text(String text) implements Piece {}

    /** A reference to another key. */
    record Reference(List<Piece> path) implements Piece {
        public Reference {
            path = List.copyOf(path);
        }
    }

    /** A call of a resolver. The parts of its name are concatenated. */
    record Resolver(List<Piece> name, List<Syntax> arguments) implements Piece {
        public Resolver {
            name = List.copyOf(name);
            arguments = List.copyOf(arguments);
        }
    }
}
