package dev.stagesim.model;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Parsed text of a {@link Key}: {@code description | default | unit | min..max}; unit and range may be absent.
 *
 * @param def default as HOCON text, or null
 * @param min lower bound of the range, or empty
 * @param above true if the lower bound is exclusive
 * @param max upper bound, or empty
 */
public record KeyText(String doc, @Nullable String def, String unit, String min, boolean above, String max) {
    private static final String REQUIRED = "required";
    private static final String BAR = " | ";

    public static KeyText of(Key key) {
        List<String> parts = parts(key.value());
        int last = parts.size() - 1;
        int dots = last < 2 ? -1 : parts.get(last).indexOf("..");
        String range = dots < 0 ? ".." : parts.get(last);
        boolean above = range.startsWith(">");
        boolean hasUnit = last - (dots < 0 ? 0 : 1) > 1;
        if (last > (dots < 0 ? 2 : 3)) {
            throw new IllegalStateException("too many parts: " + key.value());
        }
        return new KeyText(
                parts.get(0),
                last == 0 || parts.get(1).equals(REQUIRED) ? null : parts.get(1),
                hasUnit ? parts.get(2) : "",
                range.substring(above ? 1 : 0, range.indexOf("..")),
                above,
                range.substring(range.indexOf("..") + 2));
    }

    private static List<String> parts(String text) {
        List<String> parts = new ArrayList<>();
        int from = 0;
        for (int bar = text.indexOf(BAR); bar >= 0; bar = text.indexOf(BAR, from)) {
            parts.add(text.substring(from, bar));
            from = bar + BAR.length();
        }
        parts.add(text.substring(from));
        return parts;
    }
}
