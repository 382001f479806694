package dev.stagesim.config.grammar;

import dev.stagesim.config.grammar.Token.Kind;
import java.util.List;
import java.util.stream.Collectors;

/** Types runs of tokens: one token alone keeps its type, several are the string of their texts. */
final class Primitives {
    private Primitives() {}

    /** The typed value of a run, blanks at its ends dropped. */
    static Value.Scalar typed(List<Token> run, Faults faults) {
        List<Token> inner = strip(run, faults);
        return inner.size() == 1 ? inner.get(0).value() : join(inner);
    }

    /** The run as a string whatever its tokens are. */
    static Value.Text text(List<Token> run, Faults faults) {
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

    private static Value.Text join(List<Token> tokens) {
        return new Value.Text(tokens.stream().map(Token::unescaped).collect(Collectors.joining()));
    }
}
