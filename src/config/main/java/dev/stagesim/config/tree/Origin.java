package dev.stagesim.config.tree;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The place where a value was written.
 *
 * @param source the file path as the user would name it, {@code override}, {@code default} (a settings record), or
 *     {@code env}
 * @param line 1-based line in the file, or 1-based position of the override; 0 if unknown
 * @param text the override as typed, or null for files
 */
public record Origin(String source, int line, @Nullable String text) {
    public static final Origin UNKNOWN = new Origin("unknown", 0, null);
    public static final Origin DEFAULT = new Origin("default", 0, null);

    public static Origin file(String file, int line) {
        return new Origin(file, line, null);
    }

    public static Origin override(int position, String text) {
        return new Origin("override", position, text);
    }

    /** Written by hand because generated record methods are linked at run time, and every command compares origins. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Origin that
                && that.line == line
                && that.source.equals(source)
                && Objects.equals(that.text, text);
    }

    @Override
    public int hashCode() {
        return Objects.hash(source, line, text);
    }

    /** Formats the origin as {@code configs/a.conf:3} or {@code override #2 'a=b'}. */
    public String describe() {
        if (text != null) {
            return "override #" + line + " '" + text + "'";
        }
        return line > 0 ? source + ":" + line : source;
    }
}
