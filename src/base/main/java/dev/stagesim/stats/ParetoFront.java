package dev.stagesim.stats;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.stream.IntStream;

/**
 * Pareto dominance. A candidate dominates another one if it is no worse in every objective, and better in one or
 * preferred.
 *
 * @param objectives compare two candidates, the better one first
 * @param isPreferred true if the first of two candidates with equal objectives dominates the second
 */
public record ParetoFront<T>(List<Comparator<T>> objectives, BiPredicate<T, T> isPreferred) {
    public ParetoFront {
        objectives = List.copyOf(objectives);
    }

    /** Returns a front that keeps all of several equal candidates. */
    public static <T> ParetoFront<T> withEqual(List<Comparator<T>> objectives) {
        return new ParetoFront<>(objectives, (first, second) -> false);
    }

    /** Returns a front of vectors with {@code length} values to minimise. It keeps all of several equal vectors. */
    public static ParetoFront<double[]> ofVectors(int length) {
        return withEqual(IntStream.range(0, length)
                .<Comparator<double[]>>mapToObj(k -> Comparator.comparingDouble(vector -> vector[k]))
                .toList());
    }

    /** Returns true if the first candidate dominates the second. */
    boolean dominates(T first, T second) {
        boolean isBetter = false;
        for (Comparator<T> objective : objectives) {
            int order = objective.compare(first, second);
            if (order > 0) {
                return false;
            }
            isBetter |= order < 0;
        }
        return isBetter || isPreferred.test(first, second);
    }

    /** Returns the first of the others that dominates a candidate. */
    public Optional<T> dominator(T candidate, List<T> others) {
        return others.stream().filter(other -> dominates(other, candidate)).findFirst();
    }

    /** Adds a candidate to the front, and removes the members that it dominates, unless a member dominates it. */
    public void add(List<T> front, T candidate) {
        if (dominator(candidate, front).isEmpty()) {
            front.removeIf(other -> dominates(candidate, other));
            front.add(candidate);
        }
    }
}
