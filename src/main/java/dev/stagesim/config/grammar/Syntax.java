package dev.stagesim.config.grammar;

import java.util.List;
import java.util.Optional;

/** A value as written, before functions are called and interpolations evaluated: errors of grammar come first. */
public sealed interface Syntax {
    /** Offset of its first character. */
    int start();

    record Leaf(Value.Scalar value, int start) implements Syntax {}

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

    /** Text and interpolations in a row; a single interpolation keeps its type unless it is quoted. */
    record Template(List<Piece> pieces, boolean isQuoted, int start) implements Syntax {
        public Template {
            pieces = List.copyOf(pieces);
        }
    }

    /** A part of a template. */
    sealed interface Piece {}

    /** Literal text, escapes resolved. */
    record Text(String text) implements Piece {}

    /** A reference to another key. */
    record Reference(List<Piece> path) implements Piece {
        public Reference {
            path = List.copyOf(path);
        }
    }

    /** A call of a resolver, whose name's parts are joined. */
    record Resolver(List<Piece> name, List<Syntax> arguments) implements Piece {
        public Resolver {
            name = List.copyOf(name);
            arguments = List.copyOf(arguments);
        }
    }
}
