package dev.stagesim.config.interp;

import dev.stagesim.config.tree.Paths;
import java.util.ArrayList;
import java.util.List;

/** Splits key paths: {@code a.b}, {@code a[b]} and {@code [a].b} have the same two segments. */
final class KeyPaths {
    private KeyPaths() {}

    static List<String> split(String path) {
        if (path.indexOf('\\') >= 0) {
            return Paths.split(path);
        }
        List<String> parts = new ArrayList<>();
        int at = path.startsWith("[") ? 0 : segmentEnd(path, 0);
        if (!path.startsWith("[")) {
            parts.add(path.substring(0, at));
        }
        while (at < path.length()) {
            boolean isDot = path.charAt(at) == '.';
            int close = path.indexOf(']', at);
            int end = isDot ? segmentEnd(path, at + 1) : close < 0 ? path.length() : close;
            parts.add(path.substring(at + 1, end));
            at = segmentEnd(path, end); // text directly after a bracket is ignored
        }
        return parts;
    }

    private static int segmentEnd(String path, int from) {
        int at = from;
        while (at < path.length() && path.charAt(at) != '.' && path.charAt(at) != '[') {
            at++;
        }
        return at;
    }
}
