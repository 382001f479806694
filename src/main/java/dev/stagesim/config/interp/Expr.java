package dev.stagesim.config.interp;

import dev.stagesim.config.tree.ScalarNode;
import java.util.List;

/** The parsed form of a string that holds interpolations. */
sealed interface Expr {
    /** Literal text and interpolations in a row; a single interpolation keeps its type. */
    record Template(List<Piece> pieces) implements Expr {}

    /** A quoted argument: always a string. */
    record Quoted(Template content) implements Expr {}

    /** A typed literal. */
    record Literal(ScalarNode value) implements Expr {}

    /** A list argument. */
    record Items(List<Expr> items) implements Expr {}

    /** A map argument; keys are typed literals. */
    record Pairs(List<Pair> pairs) implements Expr {}

    /** One entry of a map argument. */
    record Pair(ScalarNode key, Expr value) {}

    /** A part of a template. */
    sealed interface Piece {}

    /** Literal text, escapes resolved. */
    record Text(String text) implements Piece {}

    /** A reference to another key; {@code source} is the expression as written. */
    record Reference(List<Piece> path, String source) implements Piece {}

    /** A call of a resolver. The name's parts are joined by dots. */
    record Call(List<Piece> name, List<Expr> arguments, String source) implements Piece {}
}
