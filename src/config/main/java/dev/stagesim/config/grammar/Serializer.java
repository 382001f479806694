package dev.stagesim.config.grammar;

import dev.stagesim.model.ShortestDouble;
import dev.stagesim.model.StageException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Formats values so that they parse back to the same value.
 *
 * <p>In the stage dialect this applies to every value of the parser. Hydra's form does not always parse back: strings
 * that look like numbers lose their type, and sweeps inside containers cannot be written.
 */
public final class Serializer {
    private static final String SPECIAL = "\\()[]{}:=, \t";

    private Serializer() {}

    /**
     * Formats {@code value}.
     *
     * @throws StageException in Hydra's dialect for a sweep other than a glob
     */
    public static String serialise(Value value, Dialect dialect) {
        return dialect.format(value);
    }

    /** Formats {@code override} with its prefix, key, package and operator. */
    public static String serialise(ConfigOverride override, Dialect dialect) {
        if (override.value().isEmpty()) {
            return override.keyElement() + dialect.noValue();
        }
        Value value = override.value().get();
        String text = value.equals(Value.Text.EMPTY) ? "" : serialise(value, dialect);
        return override.keyElement() + override.type().operator() + text;
    }

    /**
     * Returns the value that represents {@code text}. It is quoted if the text would otherwise parse as another value.
     */
    static Value.Scalar asString(String text) {
        return isPlain(escape(text, true), text) ? new Value.Text(text) : new Value.Quoted(text, quoteFor(text));
    }

    /** Like {@link #asString}, for a map key. */
    static Value.Scalar asKey(String text) {
        return isPlainKey(text) ? new Value.Text(text) : new Value.Quoted(text, quoteFor(text));
    }

    static String hydra(Value value) {
        if (value instanceof Value.Null) {
            return "null";
        }
        if (value instanceof Value.Bool bool) {
            return bool.value() ? "True" : "False";
        }
        if (value instanceof Value.Int integer) {
            return integer.value().toString();
        }
        if (value instanceof Value.Real real) {
            return ShortestDouble.of(real.value());
        }
        if (value instanceof Value.Quoted quoted) {
            return Quoting.quote(quoted.text(), quoted.quote());
        }
        if (value instanceof Value.Scalar scalar) {
            return escape(scalar.text(), false);
        }
        if (value instanceof Value.Items list) {
            return list.items().stream().map(Serializer::hydra).collect(Collectors.joining(",", "[", "]"));
        }
        if (value instanceof Value.Dict dict) {
            return dict.entries().stream()
                    .map(entry -> hydra(entry.key()) + ":" + hydra(entry.value()))
                    .collect(Collectors.joining(",", "{", "}"));
        }
        if (value instanceof SweepValue.Glob glob) {
            return "{include:" + hydraPatterns(glob.include()) + ",exclude:" + hydraPatterns(glob.exclude()) + "}";
        }
        throw Faults.ofText(stage(value)).meaning(0, "a sweep cannot be written as one value", "");
    }

    private static String hydraPatterns(List<String> patterns) {
        return patterns.stream().map(pattern -> escape(pattern, false)).collect(Collectors.joining(",", "[", "]"));
    }

    static String stage(Value value) {
        if (value instanceof Value.Quoted quoted) {
            return Quoting.quote(quoted.text(), quoted.quote());
        }
        if (value instanceof Value.Text text) {
            return string(text.text());
        }
        if (value instanceof Value.Scalar scalar) {
            return scalar.text();
        }
        if (value instanceof Value.Items list) {
            return "[" + join(list.items()) + "]";
        }
        if (value instanceof Value.Dict dict) {
            return dict.entries().stream()
                    .map(entry -> key(entry.key()) + ":" + stage(entry.value()))
                    .collect(Collectors.joining(",", "{", "}"));
        }
        return sweep((SweepValue) value);
    }

    private static String join(List<? extends Value> values) {
        return values.stream().map(Serializer::stage).collect(Collectors.joining(","));
    }

    private static String string(String text) {
        String plain = escape(text, true);
        return isPlain(plain, text) ? plain : Quoting.quote(text, quoteFor(text));
    }

    private static String key(Value.Scalar key) {
        if (key instanceof Value.Quoted quoted) {
            return Quoting.quote(quoted.text(), quoted.quote());
        }
        return isPlainKey(key.text()) ? escape(key.text(), false) : Quoting.quote(key.text(), quoteFor(key.text()));
    }

    private static char quoteFor(String text) {
        return text.indexOf('\'') >= 0 && text.indexOf('"') < 0 ? '"' : '\'';
    }

    private static String sweep(SweepValue sweep) {
        if (sweep.tags().isEmpty()) {
            return untagged(sweep);
        }
        String labels = sweep.tags().stream().map(Serializer::string).collect(Collectors.joining(","));
        return "tag(" + labels + "," + untagged(sweep) + ")";
    }

    private static String untagged(SweepValue sweep) {
        if (sweep instanceof SweepValue.Choice choice) {
            return choice(choice);
        }
        if (sweep instanceof SweepValue.Range range) {
            String call = "range(" + join(List.of(range.start(), range.stop(), range.step())) + ")";
            return range.shuffle() ? "shuffle(" + call + ")" : call;
        }
        if (sweep instanceof SweepValue.Interval interval) {
            String call = "interval(" + join(List.of(interval.start(), interval.end())) + ")";
            return interval.start() instanceof Value.Int ? "int(" + call + ")" : call;
        }
        if (sweep instanceof SweepValue.Glob glob) {
            String exclude = glob.exclude().isEmpty() ? "" : "," + patterns(glob.exclude());
            return "glob(" + patterns(glob.include()) + exclude + ")";
        }
        return ((SweepValue.Zip) sweep)
                .columns().stream()
                        .map(column -> column.key() + "=" + stage(column.values()))
                        .collect(Collectors.joining(",", "zip(", ")"));
    }

    private static String choice(SweepValue.Choice choice) {
        String items = join(choice.items());
        if (choice.simple()) {
            return choice.shuffle() ? "shuffle(" + items + ")" : items;
        }
        String call = "choice(" + items + ")";
        return choice.shuffle() ? "shuffle(" + call + ")" : call;
    }

    private static String patterns(List<String> patterns) {
        List<String> texts = new ArrayList<>();
        for (String pattern : patterns) {
            texts.add(string(pattern));
        }
        return texts.size() == 1 ? texts.get(0) : "[" + String.join(",", texts) + "]";
    }

    /** Adds a backslash before every special character. Interpolations are unchanged if {@code keepInterpolations}. */
    private static String escape(String text, boolean keepInterpolations) {
        StringBuilder out = new StringBuilder(text.length() + 8);
        int i = 0;
        while (i < text.length()) {
            int end = keepInterpolations ? Scan.balancedInterpolation(text, i) : -1;
            if (end > 0) {
                out.append(text, i, end);
                i = end;
                continue;
            }
            char c = text.charAt(i++);
            if (SPECIAL.indexOf(c) >= 0) {
                out.append('\\');
            }
            out.append(c);
        }
        return out.toString();
    }

    /** True if {@code written} parses to the plain string {@code text}. */
    private static boolean isPlain(String written, String text) {
        if (text.isEmpty()) {
            return false;
        }
        try {
            Syntax syntax = parser(written).single();
            return syntax instanceof Syntax.Leaf leaf && leaf.value().equals(new Value.Text(text));
        } catch (StageException unreadable) {
            return false;
        }
    }

    private static boolean isPlainKey(String text) {
        if (text.isEmpty()) {
            return false;
        }
        try {
            Syntax syntax = parser("{" + escape(text, false) + ":0}").single();
            return syntax instanceof Syntax.Pairs pairs
                    && pairs.pairs().size() == 1
                    && pairs.pairs().get(0).key().equals(new Value.Text(text));
        } catch (StageException unreadable) {
            return false;
        }
    }

    private static ValueParser parser(String written) {
        return new ValueParser(written, 0, Dialect.STAGE, Faults.ofText(written));
    }
}
