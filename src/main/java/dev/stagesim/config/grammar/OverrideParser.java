package dev.stagesim.config.grammar;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Parses overrides; every mistake is a {@link StageException} that shows the column and what was expected. */
public final class OverrideParser {
    /** Category of the {@link Problem} of a text that does not follow the grammar. */
    public static final String SYNTAX = Faults.SYNTAX;

    /** Category of the {@link Problem} of a text that follows the grammar but makes no sense. */
    public static final String MEANING = Faults.MEANING;

    private OverrideParser() {}

    /**
     * Parses one override.
     *
     * @param text one word of the command line
     * @param position 1-based place among the overrides, for messages
     * @throws StageException when the text is wrong
     */
    public static ConfigOverride parse(String text, int position, Dialect dialect) {
        Faults faults = Faults.ofOverride(text, position);
        KeyScanner.Left left = new KeyScanner(text, dialect, faults).read();
        Optional<Value> value =
                left.valueStart() < 0 ? Optional.empty() : Optional.of(value(text, left.valueStart(), dialect, faults));
        if (value.isPresent() && value.get() instanceof ZipSweep && left.type() != ConfigOverride.Type.CHANGE) {
            throw faults.meaning(
                    0, "a zip only names a dimension and takes no prefix", "name=zip(+key=choice(1,2),..)");
        }
        return new ConfigOverride(left.type(), left.key(), left.pkg(), value, text, position);
    }

    private static Value value(String text, int from, Dialect dialect, Faults faults) {
        ValueLexer.Rules rules = dialect == Dialect.HYDRA ? ValueLexer.Rules.HYDRA : ValueLexer.Rules.STAGE;
        ValueParser parser = new ValueParser(text, from, rules, faults);
        return parser.atEnd() ? TextValue.EMPTY : new Evaluator(dialect, faults).evaluate(parser.value());
    }

    /**
     * Parses all overrides, numbering them from 1.
     *
     * @throws StageException with every problem found
     */
    public static List<ConfigOverride> parseAll(List<String> texts, Dialect dialect) {
        List<ConfigOverride> overrides = new ArrayList<>();
        List<Problem> problems = new ArrayList<>();
        for (String text : texts) {
            try {
                overrides.add(parse(text, overrides.size() + problems.size() + 1, dialect));
            } catch (StageException wrong) {
                problems.addAll(wrong.problems());
            }
        }
        if (!problems.isEmpty()) {
            throw StageException.input(problems);
        }
        return List.copyOf(overrides);
    }
}
