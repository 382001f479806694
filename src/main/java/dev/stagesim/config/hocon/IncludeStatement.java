package dev.stagesim.config.hocon;

import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * An {@code include} as written.
 *
 * @param name the file named
 * @param required true for {@code include required(...)}, whose file must exist
 */
record IncludeStatement(String name, boolean required) {
    private static final Pattern FORM = Pattern.compile(
            "include\\s+((?<required>required)\\s*\\(\\s*)?((?<kind>file|url|classpath)\\s*\\(\\s*)?\"(?<name>[^\"]*)\"[\\s)]*");

    /** True when the cursor is at an include rather than at a key. */
    static boolean at(TextCursor text) {
        return text.looksAt("include") && text.match(FORM).isPresent();
    }

    /** Reads the statement at the cursor. */
    static IncludeStatement read(TextCursor text) {
        MatchResult match = text.match(FORM).orElseThrow();
        boolean required = match.group(2) != null;
        String kind = match.group(4);
        if ("url".equals(kind) || "classpath".equals(kind)) {
            throw text.error("include " + kind + "(...) is not supported; include a file of the config directories");
        }
        String name = match.group(5);
        // the pattern may run over line ends behind the statement; the closing parentheses are what counts
        text.skip(match.end() - match.start());
        return new IncludeStatement(name, required);
    }
}
