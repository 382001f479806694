package dev.stagesim.config.hocon;

import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigParseOptions;
import com.typesafe.config.ConfigUtil;
import com.typesafe.config.parser.ConfigDocumentFactory;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Validates HOCON text with the HOCON library.
 *
 * <p>The library's tree is never built, because the library merges keys in quadratic time.
 */
final class HoconSyntax {
    private static final int MAX_DEPTH = 200;
    private static final String ADVICE = " (if you intended";

    private HoconSyntax() {}

    /**
     * Validates {@code text}, except the paths of references and the kinds of concatenated values, which the parser
     * checks.
     *
     * @throws StageException with file and line if the text is not valid HOCON
     */
    static void check(String text, String source) {
        if (text.indexOf('\0') >= 0) {
            throw StageException.input(Problem.config(source, "is not UTF-8 text: it contains NUL characters"));
        }
        checkDepth(text, source);
        try {
            ConfigDocumentFactory.parseString(
                    text, ConfigParseOptions.defaults().setOriginDescription(source));
        } catch (ConfigException wrong) {
            int line = wrong.origin() == null ? 0 : wrong.origin().lineNumber();
            String where = line > 0 ? source + ":" + line : source;
            String message = wrong.getMessage() == null ? "not valid HOCON" : wrong.getMessage();
            int prefix = message.startsWith(source) ? message.indexOf(": ", source.length() + 1) : -1;
            String what = prefix > 0 ? message.substring(prefix + 2) : message;
            int advice = what.indexOf(ADVICE);
            Problem problem = Problem.config(where, advice > 0 ? what.substring(0, advice) : what);
            throw StageException.input(advice > 0 ? problem.hint("put the key or text in double quotes") : problem);
        } catch (IllegalArgumentException wrong) {
            // the library throws this for \\u with a sign after it
            throw StageException.input(Problem.config(source, String.valueOf(wrong.getMessage())));
        }
    }

    /** Validates the path of a reference. The cursor is after the path. */
    static void checkReference(String path, TextCursor text) {
        try {
            ConfigUtil.splitPath(path);
        } catch (ConfigException wrong) {
            String why = String.valueOf(wrong.getMessage());
            throw text.error("wrong path in ${" + path + "}: " + why.substring(why.lastIndexOf("': ") + 1));
        }
        if (text.peek() != '}') {
            throw text.error("expected } after ${" + path);
        }
    }

    /** Many tree algorithms are recursive, so the depth is limited. Deeper nesting is a mistake. */
    private static void checkDepth(String text, String source) {
        TextCursor cursor = new TextCursor(text, source);
        cursor.skipFiller();
        if (cursor.peek() == '[') {
            throw StageException.input(
                    Problem.config(cursor.origin().describe(), "a config is a map, but this file is a list")
                            .hint("write _value_ = [...]"));
        }
        int depth = 0;
        int dots = 0;
        int key = 0;
        Deque<Integer> levels = new ArrayDeque<>();
        while (!cursor.atEnd()) {
            char c = cursor.peek();
            if (c == '"') {
                Quoted.skip(cursor);
                continue;
            }
            if (cursor.atComment()) {
                cursor.comment();
                continue;
            }
            if (c == '{' || c == '[') {
                levels.push(1 + Math.max(key, dots)); // each part of the key is a level
                depth += levels.element();
            } else if ((c == '}' || c == ']') && !levels.isEmpty()) {
                depth -= levels.pop();
            }
            key = c == '=' || c == ':' ? dots : Character.isWhitespace(c) ? key : 0;
            dots = c == '.' ? dots + 1 : c == '\n' || "=:{}[],".indexOf(c) >= 0 ? 0 : dots;
            if (depth + dots > MAX_DEPTH) {
                throw cursor.error("nests deeper than " + MAX_DEPTH + " levels");
            }
            cursor.next();
        }
    }
}
