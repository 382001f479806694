package dev.stagesim.report;

import java.util.List;

/** A builder of plain Markdown: headings, paragraphs, lists and tables. Data is escaped. */
final class Markdown {
    private static final String SPECIAL = "\\`*_[]<>|#";
    private final StringBuilder out = new StringBuilder();

    /** Adds a heading of level 1 to 6. */
    Markdown heading(int level, String text) {
        return block("#".repeat(level) + " " + escape(text));
    }

    Markdown paragraph(String text) {
        return block(escape(text));
    }

    Markdown table(DataTable table) {
        out.append(table.markdown());
        return this;
    }

    /** Adds a list item with {@code lead} in bold. An empty lead is omitted. */
    Markdown item(String lead, String text) {
        out.append("- ");
        if (!lead.isEmpty()) {
            out.append("**").append(escape(lead)).append("** ");
        }
        out.append(escape(text)).append('\n');
        return this;
    }

    Markdown endList() {
        out.append('\n');
        return this;
    }

    /** Adds a command as a code block. */
    Markdown code(String text) {
        return block("```\n" + text.replace("```", "` ` `") + "\n```");
    }

    /** Adds links to files in the same directory. */
    Markdown links(String lead, List<String> files) {
        List<String> all = files.stream()
                .map(file -> "[" + escape(file) + "](" + file + ")")
                .toList();
        return block(escape(lead) + " " + String.join(" ", all));
    }

    private Markdown block(String text) {
        out.append(text).append("\n\n");
        return this;
    }

    /** Returns text without Markdown or HTML syntax. Line breaks become spaces. */
    static String escape(String text) {
        StringBuilder escaped = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\n' || c == '\r') {
                escaped.append(' ');
                continue;
            }
            boolean inWord = c == '_' && i > 0 && i + 1 < text.length() && wordAround(text, i);
            if (SPECIAL.indexOf(c) >= 0 && !inWord) {
                escaped.append('\\');
            }
            escaped.append(c);
        }
        return escaped.toString();
    }

    /** True for an underscore inside a word, which is not emphasis. */
    private static boolean wordAround(String text, int at) {
        return Character.isLetterOrDigit(text.charAt(at - 1)) && Character.isLetterOrDigit(text.charAt(at + 1));
    }

    String build() {
        return out.toString().stripTrailing() + "\n";
    }
}
