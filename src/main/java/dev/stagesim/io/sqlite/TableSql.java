package dev.stagesim.io.sqlite;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Takes the columns out of a {@code CREATE TABLE}. */
final class TableSql {
    /** What a table is made from. */
    interface Maker<T> {
        T make(long root, Map<String, Integer> columns, int keyColumn);
    }

    private TableSql() {}

    static <T> T parse(String sql, long root, Maker<T> maker) {
        int open = sql.indexOf('(');
        int close = sql.lastIndexOf(')');
        Map<String, Integer> columns = new LinkedHashMap<>();
        int key = -1;
        for (String part : open < 0 ? List.<String>of() : parts(sql.substring(open + 1, Math.max(open + 1, close)))) {
            String text = part.strip();
            String upper = text.toUpperCase(Locale.ROOT);
            if (text.isEmpty() || upper.matches("(?s)(PRIMARY|UNIQUE|CHECK|FOREIGN|CONSTRAINT)\\b.*")) {
                continue;
            }
            if (upper.matches("(?s)\\S+\\s+INTEGER\\b.*\\bPRIMARY\\s+KEY\\b.*")) {
                key = columns.size(); // is the row's number, and not in the record
            }
            columns.putIfAbsent(name(text), columns.size());
        }
        return maker.make(root, columns, key);
    }

    private static String name(String text) {
        char first = text.charAt(0);
        if (first == '"' || first == '`' || first == '[') {
            int end = text.indexOf(first == '[' ? ']' : first, 1);
            return text.substring(1, Math.max(1, end));
        }
        return text.split("\\s", 2)[0];
    }

    /** Splits at commas outside of parentheses and quotes; comments are left out. */
    private static List<String> parts(String body) {
        String text = body.replaceAll("(?s)/\\*.*?\\*/", " ").replaceAll("--[^\n]*", " ");
        List<String> parts = new ArrayList<>();
        int depth = 0;
        int from = 0;
        char quote = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (quote != 0) {
                quote = c == quote ? 0 : quote;
            } else if (c == '\'' || c == '"') {
                quote = c;
            } else if (c == '(' || c == ')') {
                depth += c == '(' ? 1 : -1;
            } else if (c == ',' && depth == 0) {
                parts.add(text.substring(from, i));
                from = i + 1;
            }
        }
        parts.add(text.substring(from));
        return parts;
    }
}
