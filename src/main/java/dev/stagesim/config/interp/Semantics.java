package dev.stagesim.config.interp;

import dev.stagesim.config.grammar.Dialect;
import dev.stagesim.config.tree.ScalarNode;

/** What interpolations mean: each method is one thing in which our rules and those of OmegaConf 2.3.1 differ. */
record Semantics(boolean own) {
    static Semantics of(Dialect dialect) {
        return new Semantics(dialect == Dialect.STAGE);
    }

    /** Text of a value inside a string. */
    String text(Datum value, Evaluation evaluation) {
        return own ? StageText.of(evaluation.plain(value)) : PythonText.str(value);
    }

    /** True when a tree with an expression that does not parse is refused, whether it is read or not. */
    boolean checksAll() {
        return !own;
    }

    /** True when what an interpolation gives may be part of a key: text, or in our rules an index. */
    boolean isKey(Datum value) {
        return value.isString()
                || (own && value instanceof Datum.Atom atom && atom.scalar().kind() == ScalarNode.Kind.INT);
    }

    /** True when resolvers find nothing above the root, and are told of mandatory values without a value as such. */
    boolean looksUpGently() {
        return own;
    }

    /** What a mandatory value without a value is, taken by itself. */
    Datum alone(Datum value) {
        boolean vanishes =
                !own && value instanceof Datum.Atom atom && atom.scalar().isMissing();
        return vanishes ? Datum.ofNull() : value;
    }
}
