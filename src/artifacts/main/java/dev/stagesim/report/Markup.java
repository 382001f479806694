package dev.stagesim.report;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;

/**
 * A builder of HTML or SVG text. Escapes all text and attributes, and closes the elements that it opened.
 *
 * <p>Names of elements and attributes come from code, never from data. An invalid name is a programming error and
 * throws {@link IllegalStateException}. Characters that neither HTML nor XML allows become U+FFFD.
 */
public final class Markup {
    private static final Set<String> VOID = Set.of("meta", "br", "hr", "col", "img", "link", "input");
    private final StringBuilder out = new StringBuilder();
    private final Deque<String> open = new ArrayDeque<>();

    /** Opens an element. {@code attributes} alternates names and values. */
    public Markup open(String element, String... attributes) {
        start(element, attributes);
        out.append('>');
        if (!VOID.contains(element)) {
            open.push(element);
        }
        return this;
    }

    /** Closes the most recently opened element. */
    public Markup close() {
        out.append("</").append(open.pop()).append('>');
        return this;
    }

    /** Adds escaped text. */
    Markup text(String text) {
        escape(text, out);
        return this;
    }

    /** Adds an element that contains only text. */
    public Markup leaf(String element, String text, String... attributes) {
        return open(element, attributes).text(text).close();
    }

    /** Adds an empty element in SVG notation. */
    public Markup shape(String element, String... attributes) {
        start(element, attributes);
        out.append("/>");
        return this;
    }

    /** Adds complete markup of another builder. */
    Markup add(Markup other) {
        out.append(other.build());
        return this;
    }

    /** Adds a line break to the source, which is not displayed. */
    public Markup line() {
        out.append('\n');
        return this;
    }

    /** Adds trusted text without escaping, such as a style sheet. */
    Markup verbatim(String trusted) {
        out.append(trusted);
        return this;
    }

    /** Returns the text; every element must be closed. */
    public String build() {
        if (!open.isEmpty()) {
            throw new IllegalStateException("not closed: " + open);
        }
        return out.toString();
    }

    boolean isEmpty() {
        return out.length() == 0;
    }

    private void start(String element, String[] attributes) {
        out.append('<').append(name(element));
        if (attributes.length % 2 != 0) {
            throw new IllegalStateException(element + ": attribute without a value");
        }
        for (int i = 0; i < attributes.length; i += 2) {
            out.append(' ').append(name(attributes[i])).append("=\"");
            escape(attributes[i + 1], out);
            out.append('"');
        }
    }

    private static String name(String name) {
        if (name.isEmpty() || !name.chars().allMatch(c -> c == '-' || c == ':' || Character.isLetterOrDigit(c))) {
            throw new IllegalStateException("invalid element or attribute name: " + name);
        }
        return name;
    }

    /** Returns text with the five special characters escaped. */
    static String escape(String text) {
        StringBuilder escaped = new StringBuilder(text.length());
        escape(text, escaped);
        return escaped.toString();
    }

    private static void escape(String text, StringBuilder out) {
        text.codePoints().forEach(c -> {
            switch (c) {
                case '&' -> out.append("&amp;");
                case '<' -> out.append("&lt;");
                case '>' -> out.append("&gt;");
                case '"' -> out.append("&quot;");
                case '\'' -> out.append("&#39;");
                default -> out.appendCodePoint(legal(c) ? c : 0xFFFD);
            }
        });
    }

    private static boolean legal(int c) {
        return c == '\t'
                || c == '\n'
                || (c >= 0x20 && c < 0x7F)
                || (c >= 0xA0 && c < 0xD800)
                || (c >= 0xE000 && c < 0xFFFE)
                || c > 0xFFFF;
    }
}
