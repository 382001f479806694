package dev.stagesim.config.grammar;

import dev.stagesim.config.grammar.Token.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Splits the right side of an override, or text with interpolations, into tokens. The longest match wins. Of
 * several longest matches, the kind that is declared first wins.
 */
final class ValueLexer {
    private static final String PUNCTUATION = "/-\\+.$%*@?|";
    private static final String NOT_IN_KEYS = "\\{}()[]:. \t'\"";

    private final String text;
    private final Dialect dialect;
    private final ValueParser.Fault fault;
    private final boolean isExpression;
    private int position;
    private @Nullable Token peeked;

    /**
     * Creates a lexer.
     *
     * @param isExpression true inside an interpolation, which has no function calls; a quote or a nested
     *     interpolation is then one opening token
     */
    ValueLexer(String text, int from, Dialect dialect, ValueParser.Fault fault, boolean isExpression) {
        this.text = text;
        this.position = from;
        this.dialect = dialect;
        this.fault = fault;
        this.isExpression = isExpression;
    }

    int position() {
        return position;
    }

    void moveTo(int offset) {
        position = offset;
    }

    /** Returns the token at the position. */
    Token peek() {
        Token known = peeked;
        if (known == null || known.start() != position) {
            known = at(position);
            peeked = known;
        }
        return known;
    }

    Token take() {
        Token token = peek();
        position = token.end();
        return token;
    }

    boolean accept(Kind kind) {
        boolean matches = peek().is(kind);
        if (matches) {
            take();
        }
        return matches;
    }

    Token expect(Kind kind, String expected) {
        if (!peek().is(kind)) {
            throw unexpected(expected);
        }
        return take();
    }

    /** Consumes and returns all following tokens of the given kinds. */
    List<Token> run(Set<Kind> kinds) {
        List<Token> run = new ArrayList<>();
        while (kinds.contains(peek().kind())) {
            run.add(take());
        }
        return run;
    }

    RuntimeException unexpected(String expected) {
        return unexpected(peek(), expected);
    }

    RuntimeException unexpected(Token token, String expected) {
        int at = Scan.blanks(text, token.start());
        String found = at >= text.length()
                ? "the text ends here"
                : "unexpected " + (token.is(Kind.QUOTED) ? "a quoted text" : Faults.show(text, at));
        return fault.at(at, found + ", expected " + expected, hint(token));
    }

    private String hint(Token token) {
        return switch (token.kind()) {
            case EQUAL -> "write \\= or quote the value to use = as a character";
            case PAREN_OPEN, PAREN_CLOSE, BRACKET_OPEN, BRACKET_CLOSE, BRACE_OPEN, BRACE_CLOSE ->
                "to use a bracket as a character, quote it or write a backslash before it";
            case QUOTED -> isExpression ? "" : "quote the whole value; quoted and plain text cannot be joined";
            case COMMA -> "an empty value is written ''";
            case END -> isExpression ? "" : "the value ends too early; quote it if it contains brackets or commas";
            default -> isExpression ? "" : "quote the whole value to use it as text";
        };
    }

    Token at(int offset) {
        if (offset >= text.length()) {
            return new Token(Kind.END, "", offset);
        }
        char c = text.charAt(offset);
        boolean isQuote = c == '\'' || c == '"';
        if (text.startsWith("${", offset)) {
            return isExpression ? token(Kind.OPEN, offset, Scan.blanks(text, offset + 2)) : interpolation(offset);
        }
        Token token = isExpression && isQuote ? token(Kind.QUOTE, offset, offset + 1) : next(offset);
        if (token == null) {
            throw isQuote
                    ? fault.at(
                            offset,
                            "the quote is not closed",
                            "close it with " + c + ", or write it inside other quotes")
                    : fault.at(
                            offset,
                            Faults.show(text, offset) + " is not allowed outside quotes",
                            isExpression ? "write it in quotes" : "quote the value: key='...'");
        }
        return token;
    }

    private Token interpolation(int from) {
        int end = dialect.interpolation(text, from);
        if (end < 0) {
            boolean isEmpty = Scan.at(text, from + 2) == '}';
            throw fault.at(
                    isEmpty ? from + 2 : from,
                    isEmpty ? "unexpected '}', expected a key" : "the closing } is missing",
                    "write ${key}; to use it as text, quote it and write a backslash before it: '\\${'");
        }
        return token(Kind.INTERPOLATION, from, end);
    }

    /** Returns the token at the position of a key or resolver name in <code>${...}</code>. */
    Token key() {
        int from = position;
        if (from >= text.length() || text.startsWith("${", from)) {
            return at(from);
        }
        int i = Scan.blanks(text, from);
        char c = Scan.at(text, i);
        if (c == ':' || c == '}') {
            return c == ':' ? token(Kind.COLON, from, Scan.blanks(text, i + 1)) : token(Kind.BRACE_CLOSE, from, i + 1);
        }
        return switch (text.charAt(from)) {
            case '.' -> token(Kind.DOT, from, from + 1);
            case '[' -> token(Kind.BRACKET_OPEN, from, from + 1);
            case ']' -> token(Kind.BRACKET_CLOSE, from, from + 1);
            default -> name(from);
        };
    }

    private Token name(int from) {
        int end = from;
        while (end < text.length() && NOT_IN_KEYS.indexOf(text.charAt(end)) < 0) {
            end++;
        }
        if (end == from) {
            throw fault.at(from, Faults.show(text, from) + " is not allowed in a key", "");
        }
        return token(Scan.id(text, from) == end ? Kind.ID : Kind.KEY, from, end);
    }

    private @Nullable Token next(int from) {
        Token bracket = bracket(from);
        if (bracket != null) {
            return bracket;
        }
        Best best = new Best(from);
        best.offer(Kind.FLOAT, Scan.real(text, from));
        best.offer(Kind.INT, Scan.integer(text, from));
        best.offer(Kind.BOOL, Math.max(Scan.keyword(text, from, "true"), Scan.keyword(text, from, "false")));
        best.offer(Kind.NULL, Scan.keyword(text, from, "null"));
        best.offer(Kind.PUNCTUATION, punctuation(from));
        best.offer(Kind.ID, Scan.id(text, from));
        best.offer(Kind.ESCAPES, Scan.escapes(text, from));
        best.offer(Kind.QUOTED, Scan.quoted(text, from));
        return best.kind == Kind.END ? null : token(best.kind, from, best.end);
    }

    /** The longest match found. */
    private static final class Best {
        private Kind kind = Kind.END;
        private int end;

        Best(int from) {
            end = from;
        }

        private void offer(Kind candidate, int candidateEnd) {
            if (candidateEnd > end) {
                kind = candidate;
                end = candidateEnd;
            }
        }
    }

    private Token token(Kind kind, int from, int end) {
        return new Token(kind, text.substring(from, end), from);
    }

    /** Matches brackets, separators and blanks. Blanks around most of them belong to the token. */
    private @Nullable Token bracket(int from) {
        int i = Scan.blanks(text, from);
        char c = Scan.at(text, i);
        int after = i + 1;
        int blanksAfter = i < text.length() ? Scan.blanks(text, after) : i;
        boolean open = i == from;
        if (isExpression && "()=".indexOf(c) >= 0) {
            return blank(from, i);
        }
        return switch (c) {
            case '(' -> token(Kind.PAREN_OPEN, from, blanksAfter);
            case ')' -> token(Kind.PAREN_CLOSE, from, after);
            case ',' -> token(Kind.COMMA, from, blanksAfter);
            case ']' -> token(Kind.BRACKET_CLOSE, from, after);
            case '}' -> token(Kind.BRACE_CLOSE, from, after);
            case ':' -> token(Kind.COLON, from, blanksAfter);
            case '=' -> token(Kind.EQUAL, from, blanksAfter);
            case '[' -> open ? token(Kind.BRACKET_OPEN, from, blanksAfter) : blank(from, i);
            case '{' -> open ? token(Kind.BRACE_OPEN, from, blanksAfter) : blank(from, i);
            default -> blank(from, i);
        };
    }

    private @Nullable Token blank(int from, int end) {
        return end > from ? token(Kind.BLANK, from, end) : null;
    }

    private int punctuation(int from) {
        int c = text.codePointAt(from);
        boolean isLegal = PUNCTUATION.indexOf(c) >= 0 || dialect.isPlain(c, isExpression);
        return isLegal ? from + Character.charCount(c) : -1;
    }
}
