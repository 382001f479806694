package dev.stagesim.config.grammar;

import dev.stagesim.config.grammar.Token.Kind;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Parses the value of an override, or text with interpolations, by recursive descent.
 *
 * <p>In a configuration text only interpolations have a meaning; all other text is literal. A run of backslashes is an
 * escape only before a dollar sign and brace, or inside quotes before the closing quote. There, two backslashes
 * represent one, and a single backslash makes the next character literal. The arguments of an interpolation have the
 * same grammar as elements of an override, with interpolations instead of function calls.
 */
public final class ValueParser {
    private static final int MAX_DEPTH = 200;
    private static final char NO_QUOTE = '\0';
    private static final Syntax EMPTY = new Syntax.Leaf(Value.Text.EMPTY, 0);
    private static final Set<Kind> PRIMITIVE = EnumSet.of(
            Kind.ID,
            Kind.NULL,
            Kind.INT,
            Kind.FLOAT,
            Kind.BOOL,
            Kind.INTERPOLATION,
            Kind.PUNCTUATION,
            Kind.COLON,
            Kind.ESCAPES,
            Kind.BLANK);
    private static final Set<Kind> PRIMITIVE_OR_EQUAL = EnumSet.copyOf(PRIMITIVE);
    private static final Set<Kind> DICT_KEY = EnumSet.copyOf(PRIMITIVE);
    private static final Set<Kind> NOTHING = EnumSet.of(Kind.COMMA, Kind.BRACE_CLOSE, Kind.BRACKET_CLOSE);

    static {
        PRIMITIVE_OR_EQUAL.add(Kind.EQUAL);
        DICT_KEY.remove(Kind.INTERPOLATION);
        DICT_KEY.remove(Kind.COLON);
    }

    private final String text;
    private final Dialect dialect;
    private final Fault fault;
    private final boolean isExpression;
    private final ValueLexer lexer;
    private int depth;

    /** Creates the error of a text that violates the grammar. */
    @FunctionalInterface
    public interface Fault {
        RuntimeException at(int offset, String message, String hint);
    }

    /** Creates a parser of an override's value, which starts at an offset. */
    ValueParser(String text, int from, Dialect dialect, Faults faults) {
        this(text, from, dialect, faults::syntax, false);
    }

    private ValueParser(String text, int from, Dialect dialect, Fault fault, boolean isExpression) {
        this.text = text;
        this.dialect = dialect;
        this.fault = fault;
        this.isExpression = isExpression;
        this.lexer = new ValueLexer(text, from, dialect, fault, isExpression);
    }

    /** Parses a string of a configuration. */
    public static Syntax.Template template(String text, Dialect dialect, Fault fault) {
        return new ValueParser(text, 0, dialect, fault, true).text(NO_QUOTE);
    }

    /** Parses a text as one argument of an interpolation. */
    public static Syntax argument(String text, Dialect dialect, Fault fault) {
        ValueParser parser = new ValueParser(text, 0, dialect, fault, true);
        Syntax element = parser.element();
        parser.lexer.expect(Kind.END, "the end");
        return element;
    }

    boolean atEnd() {
        return lexer.peek().is(Kind.END);
    }

    /** Parses a whole value: one element, or several elements separated by commas. */
    Syntax value() {
        Syntax first = element();
        List<Syntax> items = new ArrayList<>(List.of(first));
        while (lexer.accept(Kind.COMMA)) {
            items.add(element());
        }
        end();
        return items.size() == 1 ? first : new Syntax.Choice(items, first.start());
    }

    /** Parses a whole value that is one element. */
    Syntax single() {
        Syntax element = element();
        end();
        return element;
    }

    private void end() {
        if (dialect.hasMoreSyntax()) {
            lexer.accept(Kind.BLANK);
        }
        if (!atEnd()) {
            throw lexer.unexpected("the end of the value");
        }
    }

    private void deeper() {
        if (++depth > MAX_DEPTH) {
            throw fault.at(lexer.position(), "brackets nest deeper than " + MAX_DEPTH, "flatten the value");
        }
    }

    private Syntax element() {
        deeper();
        int start = lexer.position();
        Syntax element =
                switch (lexer.peek().kind()) {
                    case QUOTED -> new Syntax.Leaf(Quoting.unquote(lexer.take().text()), start);
                    case QUOTE -> text(lexer.take().text().charAt(0));
                    case BRACKET_OPEN -> new Syntax.Items(items(Kind.BRACKET_CLOSE, "',' or ']'"), start);
                    case BRACE_OPEN -> new Syntax.Pairs(pairs(), start);
                    default -> isCall() ? call() : primitive();
                };
        depth--;
        return element;
    }

    private boolean isCall() {
        return !isExpression
                && lexer.peek().is(Kind.ID)
                && lexer.at(lexer.peek().end()).is(Kind.PAREN_OPEN);
    }

    /**
     * Parses comma-separated elements after the opening token. In an interpolation an empty element is the empty
     * string.
     */
    private List<Syntax> items(Kind close, String expected) {
        lexer.take();
        List<Syntax> items = new ArrayList<>();
        if (!lexer.accept(close)) {
            do {
                items.add(isExpression && NOTHING.contains(lexer.peek().kind()) ? EMPTY : element());
            } while (lexer.accept(Kind.COMMA));
            lexer.expect(close, expected);
        }
        return items;
    }

    private List<Syntax.Pair> pairs() {
        lexer.take();
        List<Syntax.Pair> pairs = new ArrayList<>();
        if (!lexer.accept(Kind.BRACE_CLOSE)) {
            do {
                Value.Scalar key = dictKey();
                lexer.expect(Kind.COLON, "':'");
                pairs.add(new Syntax.Pair(key, element()));
            } while (lexer.accept(Kind.COMMA));
            lexer.expect(Kind.BRACE_CLOSE, "',' or '}'");
        }
        return pairs;
    }

    private Value.Scalar dictKey() {
        boolean isText = dialect.hasTextKeys() && !isExpression;
        if (isText && lexer.peek().is(Kind.QUOTED)) {
            return Quoting.unquote(lexer.take().text());
        }
        List<Token> run = lexer.run(DICT_KEY);
        if (run.isEmpty()) {
            throw lexer.unexpected("a key");
        }
        return isText ? join(strip(run)) : typed(run);
    }

    /** Parses characters, numbers, words and interpolations up to the next bracket or comma. */
    private Syntax primitive() {
        int start = lexer.position();
        Set<Kind> kinds = dialect.hasMoreSyntax() ? PRIMITIVE_OR_EQUAL : PRIMITIVE;
        List<Token> run = lexer.run(kinds);
        List<Syntax.Piece> pieces = new ArrayList<>();
        while (lexer.peek().is(Kind.OPEN)) {
            text(join(run).text(), pieces);
            pieces.add(interpolation());
            run = lexer.run(kinds);
        }
        if (!pieces.isEmpty()) {
            text(join(run).text(), pieces);
            return new Syntax.Template(pieces, false, start);
        }
        if (run.isEmpty()) {
            throw lexer.unexpected("a value");
        }
        return new Syntax.Leaf(typed(run), start);
    }

    /**
     * Returns the value of a run of tokens. A single token keeps its type; several are concatenated to a string. Blanks
     * at the ends of a value are dropped.
     */
    private Value.Scalar typed(List<Token> run) {
        List<Token> inner = isExpression ? run : strip(run);
        return inner.size() == 1 ? inner.get(0).value() : join(inner);
    }

    private List<Token> strip(List<Token> run) {
        int from = run.get(0).is(Kind.BLANK) ? 1 : 0;
        int to = run.get(run.size() - 1).is(Kind.BLANK) ? run.size() - 1 : run.size();
        if (from >= to) {
            throw fault.at(run.get(0).start(), "expected a value, found only blanks", "quote blanks: ' '");
        }
        return run.subList(from, to);
    }

    private static Value.Text join(List<Token> tokens) {
        return new Value.Text(tokens.stream().map(Token::unescaped).collect(Collectors.joining()));
    }

    private Syntax call() {
        Token name = lexer.take();
        lexer.take();
        List<Syntax.Argument> arguments = new ArrayList<>();
        Token close = lexer.peek();
        if (!lexer.accept(Kind.PAREN_CLOSE)) {
            do {
                arguments.add(functionArgument(name.text()));
            } while (lexer.accept(Kind.COMMA));
            close = lexer.expect(Kind.PAREN_CLOSE, "',' or ')'");
        }
        return new Syntax.Call(name.text(), arguments, text.substring(name.start(), close.end()), name.start());
    }

    private Syntax.Argument functionArgument(String function) {
        int start = lexer.position();
        int end = dialect.hasMoreSyntax() && function.equals(Functions.ZIP)
                ? keyEnd()
                : lexer.peek().end();
        boolean isName = lexer.peek().is(Kind.ID) || end > lexer.peek().end();
        if (!isName || !lexer.at(end).is(Kind.EQUAL)) {
            return new Syntax.Argument(Optional.empty(), element());
        }
        lexer.moveTo(lexer.at(end).end());
        return new Syntax.Argument(Optional.of(text.substring(start, end)), element());
    }

    /** In {@code zip(a.b=..)} the argument names are keys, which may consist of several tokens. */
    private int keyEnd() {
        int end = lexer.position();
        while (PRIMITIVE.contains(lexer.at(end).kind())) {
            end = lexer.at(end).end();
        }
        return end;
    }

    /** Parses text up to the end, or through the closing quote. */
    private Syntax.Template text(char quote) {
        int start = lexer.position();
        List<Syntax.Piece> pieces = new ArrayList<>();
        StringBuilder literal = new StringBuilder();
        for (int at = start; !ends(at, quote); at = lexer.position()) {
            if (text.startsWith("${", at)) {
                text(literal.toString(), pieces);
                literal.setLength(0);
                pieces.add(interpolation());
            } else {
                lexer.moveTo(literal(at, quote, literal));
            }
        }
        if (quote != NO_QUOTE) {
            lexer.moveTo(lexer.position() + 1);
        }
        text(literal.toString(), pieces);
        return new Syntax.Template(pieces, quote != NO_QUOTE, start);
    }

    private boolean ends(int at, char quote) {
        if (at == text.length() && quote != NO_QUOTE) {
            throw fault.at(at, "the quote is not closed", "close it with " + quote);
        }
        return at == text.length() || (quote != NO_QUOTE && text.charAt(at) == quote);
    }

    private static void text(String literal, List<Syntax.Piece> pieces) {
        if (!literal.isEmpty()) {
            pieces.add(new Syntax.Text(literal));
        }
    }

    /** Parses a character, or backslashes and the escaped character. Returns the end. */
    private int literal(int from, char quote, StringBuilder literal) {
        int end = from;
        while (Scan.at(text, end) == '\\') {
            end++;
        }
        boolean atQuote = quote != NO_QUOTE && Scan.at(text, end) == quote;
        boolean isPlain = !atQuote && !text.startsWith("${", end);
        if (end == from || isPlain) {
            int after = Math.max(end, from + 1);
            literal.append(text, from, after);
            return after;
        }
        literal.append(text, from, from + (end - from) / 2);
        int after = (end - from) % 2 == 0 ? end : end + (atQuote ? 1 : 2);
        literal.append(text, end, after);
        return after;
    }

    /** Parses a reference or a resolver call that begins with a dollar sign. */
    private Syntax.Piece interpolation() {
        deeper();
        lexer.take();
        List<Syntax.Piece> path = new ArrayList<>();
        boolean isName = !lexer.key().is(Kind.DOT);
        while (lexer.key().is(Kind.DOT)) {
            path.add(part());
        }
        isName &= lexer.key().is(Kind.BRACKET_OPEN) ? bracket(path) : segment(path);
        while (lexer.key().is(Kind.DOT) || lexer.key().is(Kind.BRACKET_OPEN)) {
            if (lexer.key().is(Kind.BRACKET_OPEN)) {
                isName = bracket(path);
            } else {
                path.add(part());
                isName &= segment(path);
            }
        }
        Syntax.Piece piece = lexer.key().is(Kind.COLON) ? resolver(path, isName) : reference(path);
        depth--;
        return piece;
    }

    private Syntax.Piece reference(List<Syntax.Piece> path) {
        close(Kind.BRACE_CLOSE, '}');
        return new Syntax.Reference(path);
    }

    private Syntax.Piece resolver(List<Syntax.Piece> name, boolean isName) {
        if (!isName) {
            throw fault.at(lexer.position(), "expected a resolver name before the colon", "");
        }
        return new Syntax.Resolver(name, items(Kind.BRACE_CLOSE, "',' or '}'"));
    }

    /** Parses one key between dots. Returns true if it may be part of a resolver's name. */
    private boolean segment(List<Syntax.Piece> path) {
        Token token = lexer.key();
        if (token.is(Kind.OPEN)) {
            path.add(interpolation());
        } else if (token.is(Kind.ID) || token.is(Kind.KEY)) {
            path.add(part());
        } else if (token.is(Kind.END)) {
            throw unclosed(token, '}');
        } else {
            throw lexer.unexpected(token, "a key");
        }
        return !token.is(Kind.KEY);
    }

    /** Parses a key in brackets, which cannot be part of a resolver's name. */
    private boolean bracket(List<Syntax.Piece> path) {
        path.add(part());
        segment(path);
        path.add(close(Kind.BRACKET_CLOSE, ']'));
        return false;
    }

    private Syntax.Text close(Kind kind, char bracket) {
        Token token = lexer.key();
        if (token.is(Kind.END)) {
            throw unclosed(token, bracket);
        }
        if (!token.is(kind)) {
            throw lexer.unexpected(token, "'" + bracket + "'");
        }
        return part();
    }

    private RuntimeException unclosed(Token end, char bracket) {
        return fault.at(end.start(), "the closing " + bracket + " is missing", "");
    }

    private Syntax.Text part() {
        Token token = lexer.key();
        lexer.moveTo(token.end());
        return new Syntax.Text(token.text());
    }
}
