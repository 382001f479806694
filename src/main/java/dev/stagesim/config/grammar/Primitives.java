package dev.stagesim.config.grammar;

import dev.stagesim.config.grammar.Token.Kind;
import java.math.BigInteger;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Types runs of tokens: one token alone keeps its type, several are the string of their texts. */
final class Primitives {
    private Primitives() {}

    /** The typed value of a run, blanks at its ends dropped. */
    static Scalar typed(List<Token> run, Faults faults) {
        List<Token> inner = strip(run, faults);
        return inner.size() == 1 ? single(inner.get(0)) : join(inner);
    }

    /** The run as a string whatever its tokens are. */
    static TextValue text(List<Token> run, Faults faults) {
        return join(strip(run, faults));
    }

    private static List<Token> strip(List<Token> run, Faults faults) {
        int from = run.get(0).is(Kind.BLANK) ? 1 : 0;
        int to = run.get(run.size() - 1).is(Kind.BLANK) ? run.size() - 1 : run.size();
        if (from >= to) {
            throw faults.syntax(run.get(0).start(), "expected a value, found only blanks", "quote blanks: ' '");
        }
        return run.subList(from, to);
    }

    private static TextValue join(List<Token> tokens) {
        return new TextValue(tokens.stream().map(Token::unescaped).collect(Collectors.joining()));
    }

    private static Scalar single(Token token) {
        String text = token.text();
        return switch (token.kind()) {
            case INT -> new IntValue(new BigInteger(text.replace("_", "")), text);
            case FLOAT -> new FloatValue(real(text), text);
            case BOOL -> new BoolValue(Boolean.parseBoolean(text), text);
            case NULL -> new NullValue(text);
            default -> new TextValue(token.unescaped());
        };
    }

    /** The double that a FLOAT token stands for; out of range gives an infinity or zero. */
    static double real(String text) {
        String plain = text.replace("_", "").toLowerCase(Locale.ROOT);
        return switch (plain) {
            case "inf", "+inf" -> Double.POSITIVE_INFINITY;
            case "-inf" -> Double.NEGATIVE_INFINITY;
            case "nan", "+nan", "-nan" -> Double.NaN;
            default -> Double.parseDouble(plain);
        };
    }
}
