package dev.stagesim.config.interp;

import dev.stagesim.config.grammar.Token;
import dev.stagesim.config.grammar.Token.Kind;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Cuts the key or the resolver's name within dollar-braces into tokens: the longest match wins, then the order below. */
final class KeyTokens {
    private static final String WS = "[ \\t]*";
    private static final Map<Kind, Pattern> KINDS = new LinkedHashMap<>();

    static {
        KINDS.put(Kind.OPEN, Pattern.compile("\\$\\{" + WS));
        KINDS.put(Kind.COLON, Pattern.compile(WS + ":" + WS));
        KINDS.put(Kind.CLOSE, Pattern.compile(WS + "\\}"));
        KINDS.put(Kind.DOT, Pattern.compile("\\."));
        KINDS.put(Kind.BRACKET_OPEN, Pattern.compile("\\["));
        KINDS.put(Kind.BRACKET_CLOSE, Pattern.compile("\\]"));
        KINDS.put(Kind.ID, Pattern.compile("[A-Za-z_][A-Za-z0-9_-]*"));
        KINDS.put(Kind.KEY, Pattern.compile("[^\\\\{}()\\[\\]:. \\t'\"]+"));
    }

    private KeyTokens() {}

    /** The token at {@code at}. */
    static Token at(String text, int at) {
        if (at >= text.length()) {
            return new Token(Kind.END, "", at);
        }
        Kind best = Kind.END;
        int end = at;
        for (Map.Entry<Kind, Pattern> entry : KINDS.entrySet()) {
            Matcher matcher = entry.getValue().matcher(text).region(at, text.length());
            if (matcher.lookingAt() && matcher.end() > end) {
                best = entry.getKey();
                end = matcher.end();
            }
        }
        if (end == at) {
            throw InterpolationException.notAllowed(text, at);
        }
        return new Token(best, text.substring(at, end), at);
    }
}
