package dev.stagesim.feature.fabric;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.UnaryOperator;

/** The candidates that a report shows: the cheapest on the front, and the cheapest that lost. */
final class Shown {
    private Shown() {}

    /** The cheapest on the front. */
    static List<Candidate> front(List<Candidate> candidates, int most) {
        return cheapest(candidates, true, most);
    }

    /** Losers that a person would ask about first. */
    static List<Candidate> losers(List<Candidate> candidates, int most) {
        return cheapest(candidates, false, most);
    }

    private static List<Candidate> cheapest(List<Candidate> candidates, boolean onFront, int most) {
        return candidates.stream()
                .filter(candidate -> candidate.isOnFront() == onFront)
                .sorted(Comparator.comparingDouble(
                                (Candidate candidate) -> candidate.plan().has(Plan.USD_PER_MTOK)
                                        ? candidate.plan().figure(Plan.USD_PER_MTOK)
                                        : Double.MAX_VALUE)
                        .thenComparingInt(Candidate::number))
                .limit(most)
                .toList();
    }

    /** All candidates, those that are shown with ranges of their figures, and the winner among them. */
    static List<Candidate> ranged(List<Candidate> candidates, int most, UnaryOperator<Plan> ranges) {
        List<Candidate> all = new ArrayList<>(candidates);
        List<Candidate> shown = new ArrayList<>(front(candidates, Math.max(1, most)));
        shown.addAll(losers(candidates, most));
        shown.parallelStream()
                .map(candidate -> candidate.with(ranges.apply(candidate.plan())))
                .toList()
                .forEach(candidate -> all.set(candidate.number(), candidate));
        return all;
    }
}
