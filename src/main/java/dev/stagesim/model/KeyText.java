package dev.stagesim.model;

import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a {@link Key}.
 *
 * @param def default as HOCON text; null when there is none
 * @param min lower bound of the range; empty for none
 * @param above whether the lower bound itself is not legal
 * @param max upper bound; empty for none
 */
public record KeyText(String doc, @Nullable String def, String unit, String min, boolean above, String max) {
    private static final String REQUIRED = "required";
    private static final Pattern PARTS = Pattern.compile(" | ", Pattern.LITERAL);

    public static KeyText of(Key key) {
        List<String> parts = List.of(PARTS.split(key.value(), -1));
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
}
