package dev.stagesim.config.sweep;

import dev.stagesim.config.grammar.Dialect;
import dev.stagesim.config.grammar.SweepValue;
import java.util.Collection;
import java.util.List;

/**
 * A shell pattern. {@code *} matches any characters, {@code ?} one character, {@code [seq]} a character of the set, and
 * {@code [!seq]} a character outside the set.
 *
 * <p>Matching is case-sensitive. A bracket without a closing bracket is an ordinary character.
 */
public final class GlobPattern {
    private final int[] pattern;
    private final boolean slashes;

    GlobPattern(String pattern, Dialect dialect) {
        this.pattern = pattern.codePoints().toArray();
        this.slashes = dialect.globsMatchSlashes();
    }

    /**
     * Returns the names that match an include pattern and no exclude pattern, in the given order.
     *
     * <p>In the stage dialect wildcards do not match a slash: {@code *} matches the options directly in the group, and
     * {@code sub/*} those of a nested group.
     */
    public static List<String> filter(SweepValue.Glob glob, Collection<String> names, Dialect dialect) {
        return names.stream()
                .filter(name -> anyMatches(glob.include(), name, dialect) && !anyMatches(glob.exclude(), name, dialect))
                .toList();
    }

    private static boolean anyMatches(List<String> patterns, String name, Dialect dialect) {
        return patterns.stream().anyMatch(pattern -> new GlobPattern(pattern, dialect).matches(name));
    }

    boolean matches(String name) {
        return matches(name.codePoints().toArray());
    }

    /** Matches by backtracking to the last star on a mismatch: linear in practice, never exponential. */
    private boolean matches(int[] text) {
        int p = 0;
        int t = 0;
        int star = -1;
        int resume = 0;
        while (t < text.length) {
            if (p < pattern.length && pattern[p] == '*') {
                star = p++;
                resume = t;
            } else if (p < pattern.length && matchesOne(p, text[t])) {
                p = next(p);
                t++;
            } else if (star >= 0 && (slashes || text[resume] != '/')) {
                p = star + 1;
                t = ++resume;
            } else {
                return false;
            }
        }
        while (p < pattern.length && pattern[p] == '*') {
            p++;
        }
        return p == pattern.length;
    }

    private boolean matchesOne(int p, int c) {
        if (pattern[p] == '?') {
            return slashes || c != '/';
        }
        int close = close(p);
        if (close < 0) {
            return pattern[p] == c;
        }
        boolean negated = pattern[p + 1] == '!';
        return contains(negated ? p + 2 : p + 1, close, c) != negated && (slashes || c != '/');
    }

    private int next(int p) {
        int close = close(p);
        return close < 0 ? p + 1 : close + 1;
    }

    /** Returns the closing bracket of the set at {@code p}. A bracket at the first position is a member of the set. */
    private int close(int p) {
        if (pattern[p] != '[') {
            return -1;
        }
        int i = p + 1;
        if (i < pattern.length && pattern[i] == '!') {
            i++;
        }
        if (i < pattern.length && pattern[i] == ']') {
            i++;
        }
        while (i < pattern.length && pattern[i] != ']') {
            i++;
        }
        return i < pattern.length ? i : -1;
    }

    private boolean contains(int from, int to, int c) {
        int i = from;
        while (i < to) {
            boolean range = i + 2 < to && pattern[i + 1] == '-';
            int last = range ? pattern[i + 2] : pattern[i];
            if (pattern[i] <= c && c <= last) {
                return true;
            }
            i += range ? 3 : 1;
        }
        return false;
    }
}
