package dev.stagesim.engine.tf;

import java.io.PrintStream;
import java.util.Locale;

/** Results for the parent process: one JSON object per line. */
final class Lines {
    private final PrintStream out;

    Lines(PrintStream out) {
        this.out = out;
    }

    /** Writes an object from alternating names and values: numbers and booleans as such, other values as strings. */
    void write(Object... members) {
        StringBuilder line = new StringBuilder("{");
        for (int i = 0; i < members.length; i += 2) {
            line.append(i == 0 ? "" : ",")
                    .append(quoted(String.valueOf(members[i])))
                    .append(':');
            Object value = members[i + 1];
            boolean isPlain = value instanceof Long || value instanceof Integer || value instanceof Boolean;
            boolean isFinite = value instanceof Double number && Double.isFinite(number);
            line.append(isPlain || isFinite ? String.valueOf(value) : quoted(String.valueOf(value)));
        }
        out.println(line.append('}'));
        out.flush();
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < ' ') {
                quoted.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }
}
