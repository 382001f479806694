package dev.stagesim.config.sweep;

import dev.stagesim.config.grammar.Dialect;
import dev.stagesim.config.grammar.Sweep;
import java.util.Collection;
import java.util.List;

/** Picks the names that a glob stands for. */
public final class GlobFilter {
    private GlobFilter() {}

    /**
     * The names that match one of the including patterns and none of the excluding ones, in the order given.
     *
     * <p>In our dialect wildcards stop at a slash, so that {@code *} means the options directly in the group and
     * {@code sub/*} those of a nested one.
     */
    public static List<String> filter(Sweep.Glob glob, Collection<String> names, Dialect dialect) {
        return names.stream()
                .filter(name -> anyMatches(glob.include(), name, dialect) && !anyMatches(glob.exclude(), name, dialect))
                .toList();
    }

    private static boolean anyMatches(List<String> patterns, String name, Dialect dialect) {
        return patterns.stream().anyMatch(pattern -> new GlobPattern(pattern, dialect).matches(name));
    }
}
