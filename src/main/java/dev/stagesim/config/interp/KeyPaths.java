package dev.stagesim.config.interp;

import java.util.ArrayList;
import java.util.List;

/** Splits key paths: {@code a.b}, {@code a[b]} and {@code [a].b} have the same two segments. */
final class KeyPaths {
    private KeyPaths() {}

    static List<String> split(String path) {
        List<String> parts = new ArrayList<>();
        int at = 0;
        if (!path.startsWith("[")) {
            at = segmentEnd(path, 0);
            parts.add(path.substring(0, at));
        }
        while (at < path.length()) {
            if (path.charAt(at) == '.') {
                int end = segmentEnd(path, at + 1);
                parts.add(path.substring(at + 1, end));
                at = end;
            } else {
                int close = path.indexOf(']', at);
                int end = close < 0 ? path.length() : close;
                parts.add(path.substring(at + 1, end));
                at = Math.min(end + 1, path.length());
                at = skipStray(path, at);
            }
        }
        return parts;
    }

    /** Text right behind a bracket belongs to nothing. */
    private static int skipStray(String path, int from) {
        int at = from;
        while (at < path.length() && path.charAt(at) != '.' && path.charAt(at) != '[') {
            at++;
        }
        return at;
    }

    private static int segmentEnd(String path, int from) {
        int at = from;
        while (at < path.length() && path.charAt(at) != '.' && path.charAt(at) != '[') {
            at++;
        }
        return at;
    }
}
