package dev.stagesim.config.grammar;

import dev.stagesim.config.grammar.Token.Kind;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Parses the tokens of a value by recursive descent. */
final class ValueParser {
    private static final int DEEPEST = 200;
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

    static {
        PRIMITIVE_OR_EQUAL.add(Kind.EQUAL);
        DICT_KEY.remove(Kind.INTERPOLATION);
        DICT_KEY.remove(Kind.COLON);
    }

    private final String text;
    private final Dialect dialect;
    private final Faults faults;
    private final List<Token> tokens;
    private int next;
    private int depth;

    ValueParser(String text, int from, Dialect dialect, Faults faults) {
        this.text = text;
        this.dialect = dialect;
        this.faults = faults;
        this.tokens = new ValueLexer(text, from, dialect, faults).tokens();
    }

    boolean atEnd() {
        return peek().is(Kind.END);
    }

    /** A whole value: one element, or several with commas between. */
    Syntax value() {
        Syntax first = element();
        if (!peek().is(Kind.COMMA)) {
            end();
            return first;
        }
        List<Syntax> items = new ArrayList<>(List.of(first));
        while (accept(Kind.COMMA)) {
            items.add(element());
        }
        end();
        return new Syntax.Choice(items, first.start());
    }

    /** A whole value that is one element. */
    Syntax single() {
        Syntax element = element();
        end();
        return element;
    }

    private void end() {
        if (isLenient()) {
            skipBlank();
        }
        if (!atEnd()) {
            throw unexpected("the end of the value");
        }
    }

    private void skipBlank() {
        accept(Kind.BLANK);
    }

    private Syntax element() {
        Token token = peek();
        if (++depth > DEEPEST) {
            throw faults.syntax(token.start(), "brackets nest deeper than " + DEEPEST, "flatten the value");
        }
        Syntax element =
                switch (token.kind()) {
                    case QUOTED -> quoted();
                    case BRACKET_OPEN -> list();
                    case BRACE_OPEN -> dict();
                    default -> isCall() ? call() : primitive();
                };
        depth--;
        return element;
    }

    private boolean isLenient() {
        return dialect == Dialect.STAGE;
    }

    private boolean isCall() {
        return peek().is(Kind.ID) && tokens.get(next + 1).is(Kind.PAREN_OPEN);
    }

    private Syntax.Leaf quoted() {
        Token token = take();
        return new Syntax.Leaf(Quoting.unquote(token.text()), token.start());
    }

    private Syntax primitive() {
        List<Token> run = run(isLenient() ? PRIMITIVE_OR_EQUAL : PRIMITIVE);
        if (run.isEmpty()) {
            throw unexpected("a value");
        }
        return new Syntax.Leaf(Primitives.typed(run, faults), run.get(0).start());
    }

    private List<Token> run(Set<Kind> kinds) {
        List<Token> run = new ArrayList<>();
        while (kinds.contains(peek().kind())) {
            run.add(take());
        }
        return run;
    }

    private Syntax list() {
        int start = take().start();
        List<Syntax> items = new ArrayList<>();
        if (!accept(Kind.BRACKET_CLOSE)) {
            do {
                items.add(element());
            } while (accept(Kind.COMMA));
            expect(Kind.BRACKET_CLOSE, "',' or ']'");
        }
        return new Syntax.Items(items, start);
    }

    private Syntax dict() {
        int start = take().start();
        List<Syntax.Pair> pairs = new ArrayList<>();
        if (!accept(Kind.BRACE_CLOSE)) {
            do {
                Value.Scalar key = dictKey();
                expect(Kind.COLON, "':'");
                pairs.add(new Syntax.Pair(key, element()));
            } while (accept(Kind.COMMA));
            expect(Kind.BRACE_CLOSE, "',' or '}'");
        }
        return new Syntax.Pairs(pairs, start);
    }

    private Value.Scalar dictKey() {
        boolean lenient = isLenient();
        if (lenient && peek().is(Kind.QUOTED)) {
            return quoted().value();
        }
        List<Token> run = run(DICT_KEY);
        if (run.isEmpty()) {
            throw unexpected("a key");
        }
        return lenient ? Primitives.text(run, faults) : Primitives.typed(run, faults);
    }

    private Syntax call() {
        Token name = take();
        take();
        List<Syntax.Argument> arguments = new ArrayList<>();
        Token close = peek();
        if (!accept(Kind.PAREN_CLOSE)) {
            do {
                arguments.add(argument(name.text()));
            } while (accept(Kind.COMMA));
            close = expect(Kind.PAREN_CLOSE, "',' or ')'");
        }
        return new Syntax.Call(name.text(), arguments, text.substring(name.start(), close.end()), name.start());
    }

    private Syntax.Argument argument(String function) {
        int equal = isLenient() && function.equals(Functions.ZIP) ? keyEnd() : next + 1;
        boolean named =
                (peek().is(Kind.ID) || equal > next + 1) && tokens.get(equal).is(Kind.EQUAL);
        if (!named) {
            return new Syntax.Argument(Optional.empty(), element());
        }
        StringBuilder name = new StringBuilder();
        while (next < equal) {
            name.append(take().text());
        }
        take();
        return new Syntax.Argument(Optional.of(name.toString()), element());
    }

    /** In {@code zip(a.b=..)} the names are keys, which may span several tokens. */
    private int keyEnd() {
        int i = next;
        while (PRIMITIVE.contains(tokens.get(i).kind())) {
            i++;
        }
        return i;
    }

    private Token peek() {
        return tokens.get(next);
    }

    private Token take() {
        return tokens.get(next++);
    }

    private boolean accept(Kind kind) {
        boolean matches = peek().is(kind);
        if (matches) {
            next++;
        }
        return matches;
    }

    private Token expect(Kind kind, String expected) {
        if (!peek().is(kind)) {
            throw unexpected(expected);
        }
        return take();
    }

    private RuntimeException unexpected(String expected) {
        Token token = peek();
        int at = Scan.blanks(text, token.start());
        String found = token.is(Kind.QUOTED) ? "a quoted text" : Faults.show(text, at);
        return faults.syntax(at, "unexpected " + found + ", expected " + expected, hint(token));
    }

    private static String hint(Token token) {
        return switch (token.kind()) {
            case EQUAL -> "write \\= or quote the value to use = as a character";
            case PAREN_OPEN, PAREN_CLOSE, BRACKET_OPEN, BRACKET_CLOSE, BRACE_OPEN, BRACE_CLOSE ->
                "brackets are" + " characters only in quotes, or with a backslash in front";
            case QUOTED -> "quote the whole value; quoted and plain text cannot be joined";
            case COMMA -> "an empty value is written ''";
            case END -> "the value stops too early; quote it if it holds brackets or commas";
            default -> "quote the whole value to use it as text";
        };
    }

    /** Types runs of tokens: one token alone keeps its type, several are the string of their texts. */
    private static final class Primitives {
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
}
