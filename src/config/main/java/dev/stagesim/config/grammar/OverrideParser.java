package dev.stagesim.config.grammar;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Parses overrides. Each error is a {@link StageException} with the column and the expected input. */
public final class OverrideParser {
    /** Category of the {@link Problem} of a text that violates the grammar. */
    public static final String SYNTAX = Faults.SYNTAX;

    /** Category of the {@link Problem} of a text that follows the grammar but has no valid meaning. */
    public static final String MEANING = Faults.MEANING;

    private static final int MAX_INVALID_OVERRIDES = 20;

    private OverrideParser() {}

    /**
     * Parses one override.
     *
     * @param text one argument of the command line
     * @param position 1-based position among the overrides, for messages
     * @throws StageException if the text is invalid
     */
    public static ConfigOverride parse(String text, int position, Dialect dialect) {
        Faults faults = Faults.ofOverride(text, position);
        KeyScanner.Left left = new KeyScanner(text, dialect, faults).read();
        if (left.valueStart() >= 0 && dialect.hasListExtension()) {
            Optional<Syntax.Call> extension = extension(text, left.valueStart(), dialect, faults);
            if (extension.isPresent()) {
                return extension(left, extension.get(), text, position, new Evaluator(dialect, faults));
            }
        }
        Optional<Value> value =
                left.valueStart() < 0 ? Optional.empty() : Optional.of(value(text, left.valueStart(), dialect, faults));
        if (value.isPresent() && value.get() instanceof SweepValue.Zip && left.type() != ConfigOverride.Type.CHANGE) {
            throw faults.meaning(
                    0, "a zip only names a dimension and takes no prefix", "name=zip(+key=choice(1,2),..)");
        }
        return new ConfigOverride(left.type(), left.key(), left.pkg(), value, text, position);
    }

    private static Optional<Syntax.Call> extension(String text, int from, Dialect dialect, Faults faults) {
        if (!text.startsWith(Functions.EXTEND_LIST, from)) {
            return Optional.empty();
        }
        ValueParser parser = new ValueParser(text, from, dialect, faults);
        return parser.value() instanceof Syntax.Call call && call.name().equals(Functions.EXTEND_LIST)
                ? Optional.of(call)
                : Optional.empty();
    }

    private static ConfigOverride extension(
            KeyScanner.Left left, Syntax.Call call, String text, int position, Evaluator evaluator) {
        Faults faults = evaluator.faults;
        if (left.type() != ConfigOverride.Type.CHANGE) {
            throw faults.meaning(0, "an extension of a list takes no prefix", left.key() + "=" + call.text());
        }
        if (call.arguments().stream().anyMatch(argument -> argument.name().isPresent())) {
            throw faults.meaning(
                    call.start(), Functions.EXTEND_LIST + " has no named arguments", Functions.EXTEND_LIST + "(a,b)");
        }
        List<Value> items = call.arguments().stream()
                .map(argument -> evaluator.evaluate(argument.value()))
                .toList();
        return new ConfigOverride(
                ConfigOverride.Type.APPEND,
                left.key(),
                left.pkg(),
                Optional.of(new Value.Items(items)),
                text,
                position);
    }

    private static Value value(String text, int from, Dialect dialect, Faults faults) {
        ValueParser parser = new ValueParser(text, from, dialect, faults);
        return parser.atEnd() ? Value.Text.EMPTY : new Evaluator(dialect, faults).evaluate(parser.value());
    }

    /**
     * Parses all overrides and numbers them from 1.
     *
     * @throws StageException with the problems of the first {@value #MAX_INVALID_OVERRIDES} invalid overrides
     */
    public static List<ConfigOverride> parseAll(List<String> texts, Dialect dialect) {
        List<ConfigOverride> overrides = new ArrayList<>();
        List<Problem> problems = new ArrayList<>();
        int faults = 0;
        for (int i = 0; i < texts.size() && faults < MAX_INVALID_OVERRIDES; i++) {
            try {
                overrides.add(parse(texts.get(i), i + 1, dialect));
            } catch (StageException wrong) {
                problems.addAll(wrong.problems());
                faults++;
            }
        }
        int unchecked = texts.size() - overrides.size() - faults;
        if (unchecked > 0) {
            Problem last = problems.remove(problems.size() - 1);
            problems.add(last.note(
                    "also",
                    "the last " + unchecked + " overrides were not checked, because " + faults + " are invalid"));
        }
        StageException.refuse(problems);
        return List.copyOf(overrides);
    }

    /** Evaluates parsed text: calls its functions and returns values. */
    private static final class Evaluator {
        private static final String NESTED = "sweep over whole lists or maps instead: choice([1,2],[3,4])";

        private final Dialect dialect;
        private final Faults faults;

        Evaluator(Dialect dialect, Faults faults) {
            this.dialect = dialect;
            this.faults = faults;
        }

        Value evaluate(Syntax syntax) {
            if (syntax instanceof Syntax.Leaf leaf) {
                return leaf.value();
            }
            if (syntax instanceof Syntax.Items items) {
                return new Value.Items(
                        items.items().stream().map(this::contained).toList());
            }
            if (syntax instanceof Syntax.Pairs pairs) {
                return new Value.Dict(pairs.pairs().stream()
                        .map(pair -> new Value.Dict.Entry(pair.key(), contained(pair.value())))
                        .toList());
            }
            return syntax instanceof Syntax.Call call ? call(call) : choice((Syntax.Choice) syntax);
        }

        private Value contained(Syntax syntax) {
            Value value = evaluate(syntax);
            if (dialect.joinsSweeps() && value instanceof SweepValue) {
                throw faults.meaning(syntax.start(), "a sweep inside a list or map is not supported", NESTED);
            }
            return value;
        }

        private Value choice(Syntax.Choice choice) {
            List<Value> items = new ArrayList<>();
            for (Syntax item : choice.items()) {
                Value value = evaluate(item);
                if (dialect.joinsSweeps() && value instanceof SweepValue sweep) {
                    items.addAll(joined(sweep, item.start()));
                } else {
                    items.add(value);
                }
            }
            if (items.isEmpty()) {
                throw faults.meaning(choice.start(), "the sweep has no values", "");
            }
            if (dialect.joinsConditions() && items.stream().allMatch(Evaluator::isCondition)) {
                return new Value.Text(
                        items.stream().map(item -> ((Value.Text) item).text()).collect(Collectors.joining(",")));
            }
            return SweepValue.Choice.of(items, items.size() > 1);
        }

        /** True if the value is a comparison with text on both sides. */
        private static boolean isCondition(Value value) {
            String text = value instanceof Value.Text written ? written.text() : "";
            int at = Math.max(text.indexOf('<'), text.indexOf('>'));
            return at > 0 && at < text.length() - 1;
        }

        /** Returns the values of a sweep that is joined with adjacent sweeps. */
        private List<Value> joined(SweepValue sweep, int start) {
            boolean plain = sweep.tags().isEmpty();
            if (plain && sweep instanceof SweepValue.Choice choice && !choice.shuffle()) {
                return choice.items();
            }
            if (plain && sweep instanceof SweepValue.Range range && !range.shuffle()) {
                return new ArrayList<>(RangePoints.of(range, dialect).all());
            }
            throw faults.meaning(
                    start,
                    "only plain choices and ranges can be joined with commas",
                    "put tag(..) and shuffle(..) around the whole sweep: shuffle(choice(..))");
        }

        private Value call(Syntax.Call call) {
            List<Value> values = new ArrayList<>();
            for (Syntax.Argument argument : call.arguments()) {
                values.add(evaluate(argument.value()));
            }
            Functions functions = Functions.of(dialect);
            if (!functions.has(call.name())) {
                throw faults.meaning(
                        call.start(),
                        "unknown function '" + call.name() + "'",
                        "quote the value to use it as text",
                        functions.names(),
                        Suggest.near(call.name(), functions.names()));
            }
            try {
                return functions.call(call.name(), call.arguments(), values);
            } catch (CallFault fault) {
                throw faults.meaning(call.start(), call.text() + ": " + fault.message(), fault.hint());
            }
        }
    }
}
