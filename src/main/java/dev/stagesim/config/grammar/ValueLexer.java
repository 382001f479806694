package dev.stagesim.config.grammar;

import dev.stagesim.config.grammar.Token.Kind;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Cuts the right side of an override, or the arguments of an interpolation, into tokens: the longest wins, then the kind
 * listed first.
 */
public final class ValueLexer {
    private static final String PUNCTUATION = "/-\\+.$%*@?|";
    private static final String MORE_PUNCTUATION = "#!;&<>^~";

    private final String text;
    private final Dialect dialect;
    private final Faults faults;
    private final boolean isExpression;
    private int position;

    ValueLexer(String text, int from, Dialect dialect, Faults faults) {
        this(text, from, dialect, faults, false);
    }

    private ValueLexer(String text, int from, Dialect dialect, Faults faults, boolean isExpression) {
        this.text = text;
        this.position = from;
        this.dialect = dialect;
        this.faults = faults;
        this.isExpression = isExpression;
    }

    /** A lexer of text with interpolations. */
    public static ValueLexer ofExpression(String text, Dialect dialect) {
        return new ValueLexer(text, 0, dialect, Faults.ofText(text), true);
    }

    /** The token at an offset among arguments; quotes and interpolations are opened only. Null where nothing is legal. */
    public @Nullable Token argument(int at) {
        position = at;
        if (at >= text.length()) {
            return new Token(Kind.END, "", at);
        }
        if (text.startsWith("${", at)) {
            return token(Kind.OPEN, Scan.blanks(text, at + 2));
        }
        return "'\"".indexOf(text.charAt(at)) >= 0 ? token(Kind.QUOTE, at + 1) : next();
    }

    /** All tokens, closed by one of kind {@code END}. */
    List<Token> tokens() {
        List<Token> tokens = new ArrayList<>();
        while (position < text.length()) {
            Token token = next();
            if (token == null) {
                throw unreadable();
            }
            tokens.add(token);
            position = token.end();
        }
        tokens.add(new Token(Kind.END, "", text.length()));
        return tokens;
    }

    private @Nullable Token next() {
        Token bracket = bracket();
        if (bracket != null) {
            return bracket;
        }
        Best best = new Best();
        best.offer(Kind.FLOAT, Scan.real(text, position));
        best.offer(Kind.INT, Scan.integer(text, position));
        best.offer(Kind.BOOL, Math.max(keyword("true"), keyword("false")));
        best.offer(Kind.NULL, keyword("null"));
        best.offer(Kind.PUNCTUATION, punctuation());
        best.offer(Kind.ID, Scan.id(text, position));
        best.offer(Kind.ESCAPES, Scan.escapes(text, position));
        best.offer(Kind.QUOTED, Scan.quoted(text, position));
        best.offer(Kind.INTERPOLATION, interpolation());
        return best.kind == Kind.END ? null : token(best.kind, best.end);
    }

    /** The longest match so far. */
    private final class Best {
        private Kind kind = Kind.END;
        private int end = position;

        private void offer(Kind candidate, int candidateEnd) {
            if (candidateEnd > end) {
                kind = candidate;
                end = candidateEnd;
            }
        }
    }

    private Token token(Kind kind, int end) {
        return new Token(kind, text.substring(position, end), position);
    }

    private int keyword(String word) {
        return Scan.keyword(text, position, word);
    }

    private int interpolation() {
        return dialect == Dialect.HYDRA
                ? Scan.shortInterpolation(text, position)
                : Scan.balancedInterpolation(text, position);
    }

    /** Brackets, separators and blanks; blanks around most of them belong to the token. */
    private @Nullable Token bracket() {
        int i = Scan.blanks(text, position);
        char c = Scan.at(text, i);
        int after = i + 1;
        int blanksAfter = i < text.length() ? Scan.blanks(text, after) : i;
        boolean open = i == position;
        if (isExpression && "()=".indexOf(c) >= 0) {
            return blank(i);
        }
        return switch (c) {
            case '(' -> token(Kind.PAREN_OPEN, blanksAfter);
            case ')' -> token(Kind.PAREN_CLOSE, after);
            case ',' -> token(Kind.COMMA, blanksAfter);
            case ']' -> token(Kind.BRACKET_CLOSE, after);
            case '}' -> token(Kind.BRACE_CLOSE, after);
            case ':' -> token(Kind.COLON, blanksAfter);
            case '=' -> token(Kind.EQUAL, blanksAfter);
            case '[' -> open ? token(Kind.BRACKET_OPEN, blanksAfter) : blank(i);
            case '{' -> open ? token(Kind.BRACE_OPEN, blanksAfter) : blank(i);
            default -> blank(i);
        };
    }

    private @Nullable Token blank(int end) {
        return end > position ? token(Kind.BLANK, end) : null;
    }

    private int punctuation() {
        char c = text.charAt(position);
        if (PUNCTUATION.indexOf(c) >= 0) {
            return position + 1;
        }
        if (dialect == Dialect.HYDRA) {
            return -1;
        }
        if (MORE_PUNCTUATION.indexOf(c) >= 0 || (isExpression && c == '=')) {
            return position + 1;
        }
        int codePoint = text.codePointAt(position);
        return codePoint >= 0x80 && (isExpression || !Character.isISOControl(codePoint))
                ? position + Character.charCount(codePoint)
                : -1;
    }

    private RuntimeException unreadable() {
        char c = text.charAt(position);
        if (c == '\'' || c == '"') {
            return faults.syntax(
                    position, "the quote is never closed", "close it with " + c + ", or write it inside other quotes");
        }
        return faults.syntax(
                position, Faults.show(text, position) + " is not allowed outside quotes", "quote the value: key='...'");
    }
}
