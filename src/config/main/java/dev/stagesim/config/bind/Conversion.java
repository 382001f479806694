package dev.stagesim.config.bind;

import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.config.tree.ScalarNode.Kind;
import dev.stagesim.model.KeyNames;
import dev.stagesim.model.Suggest;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Converts a scalar to a Java value. A value that cannot be converted exactly is an error. */
record Conversion(ScalarNode node, Shape.Leaf leaf, String unit, ValueRange limits) {
    private static final Pattern EXPONENT = Pattern.compile("[+-]?\\d+(\\.\\d+)?[eE]\\+?\\d{1,3}");
    private static final int MAX_DIGITS = 20;
    private static final BigInteger INT_MIN = BigInteger.valueOf(Integer.MIN_VALUE);
    private static final BigInteger INT_MAX = BigInteger.valueOf(Integer.MAX_VALUE);
    private static final BigInteger LONG_MIN = BigInteger.valueOf(Long.MIN_VALUE);
    private static final BigInteger LONG_MAX = BigInteger.valueOf(Long.MAX_VALUE);

    /** The converted value, or null and the expected type. */
    record Result(@Nullable Object value, String expected, List<String> suggestions, String hint) {}

    static Result convert(Node node, Shape.Leaf leaf, String unit, ValueRange limits) {
        if (!(node instanceof ScalarNode scalar) || scalar.isNull()) {
            return new Result(null, expected(leaf, unit, limits), List.of(), "");
        }
        Conversion conversion = new Conversion(scalar, leaf, unit, limits);
        return switch (leaf.kind()) {
            case BOOL -> conversion.bool();
            case INT, LONG -> conversion.integer();
            case DOUBLE -> conversion.number();
            case STRING -> conversion.text();
            case PATH -> conversion.path();
            case DURATION -> conversion.duration();
            case ENUM -> conversion.constant();
        };
    }

    private Result text() {
        return node.text().indexOf('\0') < 0
                ? done(node.text())
                : fail("the text has a character with the code 0", List.of());
    }

    private Result bool() {
        if (node.kind() == Kind.BOOL) {
            return done(node.value());
        }
        boolean isText = node.kind() == Kind.STRING
                && (node.text().equals("true") || node.text().equals("false"));
        return isText ? done(Boolean.valueOf(node.text())) : fail("", List.of());
    }

    private Result integer() {
        BigInteger value = exactInteger();
        if (value == null) {
            return fail(wholeNumberHint() + numberHint(), List.of());
        }
        if (!limits.allows(new BigDecimal(value))) {
            return fail("", List.of());
        }
        boolean isInt = leaf.kind() == LeafType.INT;
        BigInteger max = isInt ? INT_MAX : LONG_MAX;
        BigInteger min = limits.minInteger(isInt ? INT_MIN : LONG_MIN);
        if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
            return new Result(null, "an integer from " + min + " to " + max, List.of(), "");
        }
        return isInt ? done(value.intValueExact()) : done(value.longValueExact());
    }

    private @Nullable BigInteger exactInteger() {
        if (node.kind() == Kind.INT) {
            return (BigInteger) node.value();
        }
        if (node.kind() == Kind.FLOAT && EXPONENT.matcher(node.text()).matches()) {
            BigDecimal value = new BigDecimal(node.text()).stripTrailingZeros();
            return value.scale() <= 0 && value.precision() - value.scale() < MAX_DIGITS ? value.toBigInteger() : null;
        }
        if (node.kind() != Kind.STRING) {
            return null;
        }
        String text = node.text().strip();
        if (text.matches("[+-]?\\d+(_\\d+)*")) {
            return new BigInteger(text.replace("_", ""));
        }
        return Units.parse(text, unit).orElse(null);
    }

    private String wholeNumberHint() {
        if (node.kind() != Kind.FLOAT
                || !(node.value() instanceof Double value)
                || value.isInfinite()
                || value.isNaN()) {
            return "";
        }
        BigDecimal exact = new BigDecimal(node.text().matches("[-+.\\deE]+") ? node.text() : value.toString());
        boolean whole = exact.stripTrailingZeros().scale() <= 0 && exact.precision() - exact.scale() < MAX_DIGITS;
        return whole ? "write " + exact.toBigInteger() : "integers are never rounded";
    }

    private Result number() {
        Double value = exactDouble();
        if (value != null && value.isInfinite()) {
            return fail("give a finite number", List.of());
        }
        if (value == null) {
            return fail(numberHint(), List.of());
        }
        if (value.isNaN() || !limits.allows(value)) {
            return fail("", List.of());
        }
        return done(value);
    }

    private @Nullable Double exactDouble() {
        Object value = node.value();
        if (value instanceof Double number) {
            return number;
        }
        if (value instanceof BigInteger number) {
            return finite(number.doubleValue());
        }
        String text = node.kind() == Kind.STRING ? node.text().strip() : "";
        if (text.matches("[+-]?(inf|Infinity)")) {
            return text.startsWith("-") ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
        }
        return text.matches("[+-]?(\\d[\\d_]*\\.?\\d*|\\.\\d+)([eE][+-]?\\d+)?")
                ? finite(Double.parseDouble(text.replace("_", "")))
                : Units.decimal(text, unit).orElse(null);
    }

    /** Returns the working form of text in place of a number; empty if there is none. */
    private String numberHint() {
        return node.kind() == Kind.STRING ? NumberHints.of(node.text(), unit) : "";
    }

    private static @Nullable Double finite(double value) {
        return Double.isInfinite(value) ? null : value;
    }

    private Result path() {
        try {
            return node.text().isEmpty() ? fail("", List.of()) : done(Path.of(node.text()));
        } catch (InvalidPathException e) {
            return fail("", List.of());
        }
    }

    private Result duration() {
        Optional<Duration> value = node.kind() == Kind.STRING ? Units.parseDuration(node.text()) : Optional.empty();
        if (value.isEmpty()) {
            boolean bare = node.kind() == Kind.INT || node.kind() == Kind.FLOAT;
            return fail(bare ? "add a unit: " + node.text() + "ms, " + node.text() + "s" : "", List.of());
        }
        return limits.allows(new BigDecimal(value.get().toNanos())) ? done(value.get()) : fail("", List.of());
    }

    /** Hyphens count as underscores: {@code astra-2023} selects {@code astra_2023}. */
    private Result constant() {
        String word = node.text().replace('-', '_');
        if (!leaf.words().contains(word)) {
            return fail("", Suggest.near(word, leaf.words()));
        }
        return done(leaf.type().isEnum() ? KeyNames.constant(leaf.type(), word) : word);
    }

    private Result done(@Nullable Object value) {
        return new Result(value, "", List.of(), "");
    }

    private Result fail(String hint, List<String> suggestions) {
        return new Result(null, expected(leaf, unit, limits), suggestions, hint);
    }

    private static String expected(Shape.Leaf leaf, String unit, ValueRange limits) {
        String type =
                switch (leaf.kind()) {
                    case BOOL -> "true or false";
                    case DURATION -> "a duration such as 250ms";
                    case ENUM -> "one of " + String.join(", ", leaf.words());
                    default -> article(leaf.kind().label());
                };
        String range = limits.text().isEmpty() ? "" : " " + limits.text();
        return type + range + (unit.isEmpty() || leaf.kind() == LeafType.DURATION ? "" : " (" + unit + ")");
    }

    /** Adds the indefinite article to a type name. */
    static String article(String type) {
        return ("aeiou".indexOf(type.charAt(0)) >= 0 ? "an " : "a ") + type;
    }
}
