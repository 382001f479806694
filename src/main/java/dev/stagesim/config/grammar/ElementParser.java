package dev.stagesim.config.grammar;

import dev.stagesim.model.StageException;
import java.util.List;

/** Parses values outside overrides: arguments of resolvers, and texts that are read as values. */
public final class ElementParser {
    private ElementParser() {}

    /** Like {@link #parseArguments(String, Dialect)} in our dialect. */
    public static List<Value> parseArguments(String text) {
        return parseArguments(text, Dialect.STAGE);
    }

    /**
     * Parses the comma-separated arguments of a resolver, the text between the first colon and the closing brace.
     *
     * <p>Elements are those of the override grammar except that there are no functions, nested {@code ${..}} are
     * balanced, blanks around elements are dropped, an empty element is the empty string, and an empty or blank text
     * has no arguments. An interpolation is part of the string it is written in.
     *
     * @throws StageException when the text is wrong
     */
    public static List<Value> parseArguments(String text, Dialect dialect) {
        if (text.isBlank()) {
            return List.of();
        }
        Faults faults = Faults.ofText(text);
        Evaluator evaluator = new Evaluator(dialect, faults);
        return parser(text, dialect, faults).arguments().stream()
                .map(evaluator::evaluate)
                .toList();
    }

    /** Like {@link #parseValue(String, Dialect)} in our dialect. */
    public static Value parseValue(String text) {
        return parseValue(text, Dialect.STAGE);
    }

    /**
     * Parses a text as one value: scalar, quoted string, list or map; no sweeps and no functions. A blank text is the
     * empty string.
     *
     * @throws StageException when the text is wrong
     */
    public static Value parseValue(String text, Dialect dialect) {
        if (text.isBlank()) {
            return TextValue.EMPTY;
        }
        Faults faults = Faults.ofText(text);
        return new Evaluator(dialect, faults)
                .evaluate(parser(text, dialect, faults).single());
    }

    private static ValueParser parser(String text, Dialect dialect, Faults faults) {
        ValueLexer.Rules rules =
                dialect == Dialect.HYDRA ? ValueLexer.Rules.HYDRA_ARGUMENTS : ValueLexer.Rules.STAGE_ARGUMENTS;
        return new ValueParser(text, Scan.blanks(text, 0), rules, faults);
    }
}
