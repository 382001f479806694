package dev.stagesim.config.interp;

import dev.stagesim.config.grammar.Dialect;
import dev.stagesim.config.interp.Token.Kind;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Cuts an expression into tokens: the longest match wins, then the order below. */
final class Scanner {
    private static final String WS = "[ \\t]*";
    private static final String UINT = "(?:0|[1-9](?:_?[0-9])*)";
    private static final String POINT = "(?:" + UINT + "?\\.[0-9](?:_?[0-9])*|" + UINT + "\\.)";
    private static final String EXPONENT = "(?:" + POINT + "|" + UINT + ")[eE][+-]?[0-9](?:_?[0-9])*";
    private static final Pattern ID = Pattern.compile("[A-Za-z_][A-Za-z0-9_-]*");
    private static final Pattern OPEN = Pattern.compile("\\$\\{" + WS);

    /** Inside {@code ${...}}, before a colon. */
    private static final Map<Kind, Pattern> PATH = new LinkedHashMap<>();
    /** Arguments, in Hydra's dialect. */
    private static final Map<Kind, Pattern> VALUE = new LinkedHashMap<>();

    private static final Pattern OTHER_STAGE = Pattern.compile("[/\\-\\\\+.$%*@?|#!;&<>^~=]|[^\\x00-\\x7f]+");

    static {
        PATH.put(Kind.OPEN, OPEN);
        PATH.put(Kind.COLON, Pattern.compile(WS + ":" + WS));
        PATH.put(Kind.CLOSE, Pattern.compile(WS + "\\}"));
        PATH.put(Kind.DOT, Pattern.compile("\\."));
        PATH.put(Kind.BRACKET_OPEN, Pattern.compile("\\["));
        PATH.put(Kind.BRACKET_CLOSE, Pattern.compile("\\]"));
        PATH.put(Kind.ID, ID);
        PATH.put(Kind.KEY, Pattern.compile("[^\\\\{}()\\[\\]:. \\t'\"]+"));

        VALUE.put(Kind.OPEN, OPEN);
        VALUE.put(Kind.BRACE_OPEN, Pattern.compile("\\{" + WS));
        VALUE.put(Kind.BRACE_CLOSE, Pattern.compile(WS + "\\}"));
        VALUE.put(Kind.QUOTE, Pattern.compile("['\"]"));
        VALUE.put(Kind.COMMA, Pattern.compile(WS + "," + WS));
        VALUE.put(Kind.BRACKET_OPEN, Pattern.compile("\\[" + WS));
        VALUE.put(Kind.BRACKET_CLOSE, Pattern.compile(WS + "\\]"));
        VALUE.put(Kind.COLON, Pattern.compile(WS + ":" + WS));
        VALUE.put(Kind.FLOAT, Pattern.compile("[+-]?(?:" + EXPONENT + "|" + POINT + "|(?i:inf|nan))"));
        VALUE.put(Kind.INT, Pattern.compile("[+-]?" + UINT));
        VALUE.put(Kind.BOOL, Pattern.compile("(?i:true|false)"));
        VALUE.put(Kind.NULL, Pattern.compile("(?i:null)"));
        VALUE.put(Kind.OTHER, Pattern.compile("[/\\-\\\\+.$%*@?|]"));
        VALUE.put(Kind.ID, ID);
        VALUE.put(Kind.ESCAPE, Pattern.compile("(?:\\\\[\\\\()\\[\\]{}:=, \\t])+"));
        VALUE.put(Kind.BLANK, Pattern.compile("[ \\t]+"));
    }

    private final String text;
    private final Dialect dialect;

    Scanner(String text, Dialect dialect) {
        this.text = text;
        this.dialect = dialect;
    }

    String text() {
        return text;
    }

    /** The token at {@code at} inside {@code ${...}}, before a colon. */
    Token path(int at) {
        return longest(at, PATH);
    }

    /** The token at {@code at} among arguments. */
    Token value(int at) {
        return longest(at, VALUE);
    }

    private Token longest(int at, Map<Kind, Pattern> patterns) {
        if (at >= text.length()) {
            return new Token(Kind.END, at, "");
        }
        Kind best = Kind.END;
        int end = at;
        for (Map.Entry<Kind, Pattern> entry : patterns.entrySet()) {
            boolean more = dialect == Dialect.STAGE && entry.getKey() == Kind.OTHER;
            Matcher matcher =
                    (more ? OTHER_STAGE : entry.getValue()).matcher(text).region(at, text.length());
            if (matcher.lookingAt() && matcher.end() > end) {
                best = entry.getKey();
                end = matcher.end();
            }
        }
        if (end == at) {
            throw InterpolationException.syntax("'" + text.charAt(at) + "' is not allowed here", text, at);
        }
        return new Token(best, at, text.substring(at, end));
    }
}
