package dev.stagesim.config.interp;

import dev.stagesim.config.grammar.Dialect;
import dev.stagesim.config.grammar.Token;
import dev.stagesim.config.grammar.Token.Kind;
import dev.stagesim.config.grammar.ValueLexer;
import dev.stagesim.config.grammar.ValueNodes;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.ScalarNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Parses strings with interpolations.
 *
 * <p>Outside braces everything is text; a run of backslashes matters only in front of a dollar sign and brace (and of
 * the closing quote, inside quotes): two stand for one, a single one takes away the meaning of what follows.
 */
final class ExprParser {
    private static final Set<Kind> PRIMITIVES = Set.of(
            Kind.ID,
            Kind.NULL,
            Kind.INT,
            Kind.FLOAT,
            Kind.BOOL,
            Kind.PUNCTUATION,
            Kind.COLON,
            Kind.ESCAPES,
            Kind.BLANK,
            Kind.OPEN);
    private static final char NO_QUOTE = '\0';

    private static final int DEEPEST = 200;

    private final ValueLexer lexer;
    private final String text;
    private int at;
    private int depth;

    private ExprParser(String text, Dialect dialect) {
        this.lexer = ValueLexer.ofExpression(text, dialect);
        this.text = text;
    }

    /** Parses a configuration string. */
    static Expr.Template template(String text, Dialect dialect) {
        return new ExprParser(text, dialect).text(NO_QUOTE);
    }

    /** Parses a text as one argument. */
    static Expr element(String text, Dialect dialect) {
        ExprParser parser = new ExprParser(text, dialect);
        Expr element = parser.element();
        parser.expectValue(Kind.END, "the end");
        return element;
    }

    /** Text up to the end, or up to and past the closing quote. */
    private Expr.Template text(char quote) {
        List<Expr.Piece> pieces = new ArrayList<>();
        StringBuilder literal = new StringBuilder();
        while (at < text.length()) {
            if (text.charAt(at) == quote) {
                at++;
                return template(pieces, literal);
            }
            if (text.charAt(at) == '\\') {
                backslashes(literal, quote);
            } else if (text.startsWith("${", at)) {
                flush(pieces, literal);
                pieces.add(interpolation(argument()));
            } else {
                literal.append(text.charAt(at++));
            }
        }
        if (quote != NO_QUOTE) {
            throw syntax("the closing " + quote + " is missing");
        }
        return template(pieces, literal);
    }

    private void backslashes(StringBuilder literal, char quote) {
        int end = at;
        while (end < text.length() && text.charAt(end) == '\\') {
            end++;
        }
        int count = end - at;
        boolean atQuote = quote != NO_QUOTE && end < text.length() && text.charAt(end) == quote;
        boolean atOpen = text.startsWith("${", end);
        at = end;
        if (!atQuote && !atOpen) {
            literal.append("\\".repeat(count));
            return;
        }
        literal.append("\\".repeat(count / 2));
        if (count % 2 == 1) {
            literal.append(atQuote ? String.valueOf(quote) : "${");
            at += atQuote ? 1 : 2;
        }
    }

    private static Expr.Template template(List<Expr.Piece> pieces, StringBuilder literal) {
        flush(pieces, literal);
        return new Expr.Template(List.copyOf(pieces));
    }

    private static void flush(List<Expr.Piece> pieces, StringBuilder literal) {
        if (!literal.isEmpty()) {
            pieces.add(new Expr.Text(literal.toString()));
            literal.setLength(0);
        }
    }

    private Expr.Piece interpolation(Token open) {
        deeper();
        Expr.Piece piece = inBraces(open);
        depth--;
        return piece;
    }

    private void deeper() {
        if (++depth > DEEPEST) {
            throw syntax("brackets and braces nest deeper than " + DEEPEST);
        }
    }

    private Expr.Piece inBraces(Token open) {
        at = open.end();
        List<Expr.Piece> path = new ArrayList<>();
        boolean canBeName = true;
        boolean wantsKey = true;
        while (true) {
            Token token = KeyTokens.at(text, at);
            switch (token.kind()) {
                case DOT -> {
                    canBeName &= !wantsKey;
                    if (wantsKey && path.stream().anyMatch(piece -> !isText(piece, "."))) {
                        throw syntax("a key is missing between the dots");
                    }
                    take(token, path);
                    wantsKey = true;
                }
                case BRACKET_OPEN -> {
                    bracket(path, wantsKey);
                    canBeName = false;
                    wantsKey = false;
                }
                case ID, KEY, OPEN -> {
                    canBeName &= token.kind() != Kind.KEY;
                    key(token, path, wantsKey);
                    wantsKey = false;
                }
                case COLON -> {
                    return call(open, token, path, canBeName && !wantsKey);
                }
                case CLOSE -> {
                    return reference(open, token, path, wantsKey);
                }
                default -> throw syntax("the closing } is missing");
            }
        }
    }

    private static boolean isText(Expr.Piece piece, String text) {
        return piece instanceof Expr.Text literal && literal.text().equals(text);
    }

    private void take(Token token, List<Expr.Piece> path) {
        path.add(new Expr.Text(token.text()));
        at = token.end();
    }

    private void key(Token token, List<Expr.Piece> path, boolean wantsKey) {
        if (!wantsKey) {
            throw syntax("a dot or } is expected");
        }
        if (token.kind() == Kind.OPEN) {
            path.add(interpolation(token));
        } else {
            take(token, path);
        }
    }

    private void bracket(List<Expr.Piece> path, boolean wantsKey) {
        boolean onlyDots = path.stream().allMatch(piece -> isText(piece, "."));
        if (wantsKey && !onlyDots) {
            throw syntax("a key is missing before [");
        }
        take(KeyTokens.at(text, at), path);
        Token token = KeyTokens.at(text, at);
        if (token.kind() != Kind.ID && token.kind() != Kind.KEY && token.kind() != Kind.OPEN) {
            throw syntax("a key is missing after [");
        }
        key(token, path, true);
        Token close = KeyTokens.at(text, at);
        if (close.kind() != Kind.BRACKET_CLOSE) {
            throw syntax("the closing ] is missing");
        }
        take(close, path);
    }

    private Expr.Reference reference(Token open, Token close, List<Expr.Piece> path, boolean wantsKey) {
        if (wantsKey) {
            throw syntax("a key is missing");
        }
        at = close.end();
        return new Expr.Reference(List.copyOf(path), text.substring(open.start(), at));
    }

    private Expr.Call call(Token open, Token colon, List<Expr.Piece> name, boolean isName) {
        if (!isName) {
            throw syntax("a resolver's name must stand before the colon");
        }
        at = colon.end();
        List<Expr> arguments = argument().kind() == Kind.BRACE_CLOSE ? List.of() : sequence();
        expectValue(Kind.BRACE_CLOSE, "}");
        return new Expr.Call(List.copyOf(name), arguments, text.substring(open.start(), at));
    }

    /** Elements between commas; an empty one is the empty string. */
    private List<Expr> sequence() {
        List<Expr> elements = new ArrayList<>();
        while (true) {
            Token token = argument();
            boolean empty = token.kind() == Kind.COMMA || isClose(token);
            elements.add(empty ? emptyString() : element());
            token = argument();
            if (token.kind() != Kind.COMMA) {
                return elements;
            }
            at = token.end();
        }
    }

    private static boolean isClose(Token token) {
        return token.kind() == Kind.BRACE_CLOSE || token.kind() == Kind.BRACKET_CLOSE;
    }

    private static Expr emptyString() {
        return new Expr.Literal(ScalarNode.of("", Origin.UNKNOWN));
    }

    private Expr element() {
        deeper();
        Expr element = one();
        depth--;
        return element;
    }

    private Expr one() {
        Token token = argument();
        switch (token.kind()) {
            case QUOTE -> {
                at = token.end();
                return new Expr.Quoted(text(token.text().charAt(0)));
            }
            case BRACKET_OPEN -> {
                at = token.end();
                List<Expr> items = argument().kind() == Kind.BRACKET_CLOSE ? List.of() : sequence();
                expectValue(Kind.BRACKET_CLOSE, "]");
                return new Expr.Items(List.copyOf(items));
            }
            case BRACE_OPEN -> {
                at = token.end();
                return pairs();
            }
            default -> {
                return primitive();
            }
        }
    }

    private Expr pairs() {
        List<Expr.Pair> pairs = new ArrayList<>();
        boolean more = argument().kind() != Kind.BRACE_CLOSE;
        while (more) {
            ScalarNode key = dictKey();
            expectValue(Kind.COLON, ":");
            pairs.add(new Expr.Pair(key, element()));
            Token token = argument();
            more = token.kind() == Kind.COMMA;
            at = more ? token.end() : at;
        }
        expectValue(Kind.BRACE_CLOSE, "}");
        return new Expr.Pairs(List.copyOf(pairs));
    }

    private ScalarNode dictKey() {
        List<Token> tokens = new ArrayList<>();
        for (Token token = argument(); isKeyPart(token); token = argument()) {
            tokens.add(token);
            at = token.end();
        }
        if (tokens.isEmpty()) {
            throw syntax("a key is missing");
        }
        return tokens.size() == 1 ? typed(tokens.get(0)) : string(tokens);
    }

    private static boolean isKeyPart(Token token) {
        return PRIMITIVES.contains(token.kind()) && token.kind() != Kind.COLON && token.kind() != Kind.OPEN;
    }

    /** One token is typed, several are a string. */
    private Expr primitive() {
        List<Expr.Piece> pieces = new ArrayList<>();
        List<Token> tokens = new ArrayList<>();
        for (Token token = argument(); PRIMITIVES.contains(token.kind()); token = argument()) {
            if (token.kind() == Kind.OPEN) {
                pieces.add(interpolation(token));
            } else {
                tokens.add(token);
                pieces.add(new Expr.Text(token.unescaped()));
                at = token.end();
            }
        }
        if (pieces.isEmpty()) {
            throw syntax("a value is missing");
        }
        boolean single = pieces.size() == 1 && tokens.size() == 1;
        return single ? new Expr.Literal(typed(tokens.get(0))) : new Expr.Template(List.copyOf(pieces));
    }

    private static ScalarNode string(List<Token> tokens) {
        StringBuilder out = new StringBuilder();
        tokens.forEach(token -> out.append(token.unescaped()));
        return ScalarNode.of(out.toString(), Origin.UNKNOWN);
    }

    private static ScalarNode typed(Token token) {
        return switch (token.kind()) {
            case NULL -> ScalarNode.ofNull(Origin.UNKNOWN);
            case BOOL -> ScalarNode.of(token.text().equalsIgnoreCase("true"), Origin.UNKNOWN);
            default -> (ScalarNode) ValueNodes.toNode(token.value(), Origin.UNKNOWN);
        };
    }

    private Token argument() {
        Token token = lexer.argument(at);
        if (token == null) {
            throw InterpolationException.notAllowed(text, at);
        }
        return token;
    }

    private void expectValue(Kind kind, String what) {
        Token token = argument();
        if (token.kind() != kind) {
            String found = token.kind() == Kind.END ? "the end" : "'" + token.text() + "'";
            throw syntax("expected " + what + ", found " + found);
        }
        at = token.end();
    }

    private InterpolationException syntax(String what) {
        return InterpolationException.syntax(what, text, at);
    }
}
