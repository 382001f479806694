package dev.stagesim.model;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** Finds the names that a user most likely meant: similar spellings first, then names that contain the text. */
public final class Suggest {
    private static final int MAX_SUGGESTIONS = 3;
    /** Maximum length of text that is compared; the time of a comparison is quadratic. */
    private static final int MAX_COMPARED_LENGTH = 500;

    private static final Pattern SEPARATOR = Pattern.compile("[^a-z0-9]+");

    private Suggest() {}

    private static final int UNRELATED = 4;

    private record Candidate(String name, int distance) {}

    /**
     * Returns the candidate for a name in another tool. Otherwise, returns at most three candidates that contain all parts of
     * the text ({@code h100_sxm_80gb} for {@code h100-80gb}), shortest first. If there are none, returns candidates within
     * max(1, length/3) edits (Damerau-Levenshtein, case-insensitive), ordered by distance and name. If there are none, returns names that begin with {@code typed}, contain it, are contained in it
     * or are abbreviated by it ({@code sced} for {@code scheduler}); shorter names and newer versions first.
     */
    public static List<String> near(String typed, Collection<String> names) {
        if (typed.length() > MAX_COMPARED_LENGTH) {
            return List.of();
        }
        List<String> meant = ForeignNames.meant(typed).stream()
                .filter(names::contains)
                .limit(1)
                .toList();
        if (!meant.isEmpty()) {
            return meant;
        }
        String wanted = typed.toLowerCase(Locale.ROOT);
        List<String> complete = withParts(wanted, names);
        if (!complete.isEmpty()) {
            return complete;
        }
        int limit = Math.max(1, typed.length() / 3);
        List<String> near = names.stream()
                .distinct()
                .filter(name -> Math.abs(name.length() - typed.length()) <= limit)
                .map(name -> new Candidate(name, distance(wanted, name.toLowerCase(Locale.ROOT))))
                .filter(candidate -> candidate.distance() <= limit)
                .sorted(Comparator.comparingInt(Candidate::distance).thenComparing(Candidate::name))
                .limit(MAX_SUGGESTIONS)
                .map(Candidate::name)
                .toList();
        if (!near.isEmpty() || wanted.length() < 2) {
            return near;
        }
        return names.stream()
                .distinct()
                .map(name -> new Candidate(name, kinship(name.toLowerCase(Locale.ROOT), wanted)))
                .filter(candidate -> candidate.distance() < UNRELATED)
                .sorted(Comparator.comparingInt(Candidate::distance)
                        .thenComparing(candidate -> candidate.name().length())
                        .thenComparing(Suggest::newerFirst))
                .limit(MAX_SUGGESTIONS)
                .map(Candidate::name)
                .toList();
    }

    /** Returns names with all parts of a text that has at least two, in any order. */
    private static List<String> withParts(String wanted, Collection<String> names) {
        List<String> parts = List.of(SEPARATOR.split(wanted));
        if (parts.size() < 2) {
            return List.of();
        }
        return names.stream()
                .distinct()
                .filter(name ->
                        List.of(SEPARATOR.split(name.toLowerCase(Locale.ROOT))).containsAll(parts))
                .sorted(Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder()))
                .limit(MAX_SUGGESTIONS)
                .toList();
    }

    /**
     * Returns the rank of a match: 0 if {@code name} begins with the typed text, higher for weaker matches, up to {@link
     * #UNRELATED}.
     */
    private static int kinship(String name, String wanted) {
        if (name.startsWith(wanted)) {
            return 0;
        }
        if (wanted.length() > 2 && name.contains(wanted)) {
            return 1;
        }
        if (name.length() > 2 && wanted.contains(name)) {
            return 2;
        }
        return abbreviates(wanted, name) ? 3 : UNRELATED;
    }

    /**
     * Orders names that differ only in their last digits, such as vllm_v0 and vllm_v1, with the newest version first.
     */
    private static int newerFirst(Candidate first, Candidate second) {
        int stems = stem(first).compareTo(stem(second));
        return stems != 0 ? stems : second.name().compareTo(first.name());
    }

    private static String stem(Candidate candidate) {
        return candidate.name().replaceFirst("[0-9]+$", "");
    }

    /** True if the letters of {@code wanted}, at least three, occur in {@code name} in order from its first letter. */
    private static boolean abbreviates(String wanted, String name) {
        if (wanted.length() < 3 || name.isEmpty() || name.charAt(0) != wanted.charAt(0)) {
            return false;
        }
        int at = 0;
        for (int i = 0; i < name.length() && at < wanted.length(); i++) {
            if (name.charAt(i) == wanted.charAt(at)) {
                at++;
            }
        }
        return at == wanted.length();
    }

    /** Optimal string alignment distance: insert, delete, replace, or swap two neighbours. */
    static int distance(String a, String b) {
        int[][] d = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                d[i][j] = i == 0 ? j : j == 0 ? i : step(d, a, b, i, j);
            }
        }
        return d[a.length()][b.length()];
    }

    private static int step(int[][] d, String a, String b, int i, int j) {
        int cost = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
        int best = Math.min(Math.min(d[i - 1][j] + 1, d[i][j - 1] + 1), d[i - 1][j - 1] + cost);
        boolean swapped = i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1);
        return swapped ? Math.min(best, d[i - 2][j - 2] + 1) : best;
    }
}
