package dev.stagesim.config.interp;

import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Map;

/** Formats times in the notation of C's strftime, in the root locale. */
final class Strftime {
    private static final Map<Character, String> PATTERNS = Map.ofEntries(
            Map.entry('Y', "yyyy"),
            Map.entry('y', "yy"),
            Map.entry('m', "MM"),
            Map.entry('d', "dd"),
            Map.entry('H', "HH"),
            Map.entry('I', "hh"),
            Map.entry('M', "mm"),
            Map.entry('S', "ss"),
            Map.entry('f', "SSSSSS"),
            Map.entry('j', "DDD"),
            Map.entry('p', "a"),
            Map.entry('a', "EEE"),
            Map.entry('A', "EEEE"),
            Map.entry('b', "MMM"),
            Map.entry('B', "MMMM"),
            Map.entry('z', "xx"),
            Map.entry('Z', "zzz"),
            Map.entry('F', "yyyy-MM-dd"),
            Map.entry('T', "HH:mm:ss"),
            Map.entry('u', "e"));

    private Strftime() {}

    /** Formats a time. Throws InterpolationException for an unknown directive. */
    static String format(String pattern, ZonedDateTime time) {
        StringBuilder out = new StringBuilder();
        int at = 0;
        while (at < pattern.length()) {
            char c = pattern.charAt(at++);
            if (c == '%') {
                out.append(directive(at < pattern.length() ? pattern.charAt(at) : '\0', time));
                at++;
            } else {
                out.append(c);
            }
        }
        return out.toString();
    }

    private static String directive(char directive, ZonedDateTime time) {
        if (directive == '%') {
            return "%";
        }
        if (directive == 's') {
            return Long.toString(time.toEpochSecond());
        }
        String pattern = PATTERNS.get(directive);
        if (pattern == null) {
            throw InterpolationException.failed("now: unknown directive %" + directive);
        }
        return DateTimeFormatter.ofPattern(pattern, Locale.ENGLISH).format(time);
    }
}
