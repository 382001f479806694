package dev.stagesim.feature.fabric;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.UnaryOperator;

/** The candidates that a report shows: the cheapest on the front, and the cheapest that lost. */
final class ReportedCandidates {
    private ReportedCandidates() {}

    /** The cheapest on the front. */
    static List<FabricCandidate> front(List<FabricCandidate> candidates, int most) {
        return cheapest(candidates, true, most);
    }

    /** Losers that a person would ask about first. */
    static List<FabricCandidate> losers(List<FabricCandidate> candidates, int most) {
        return cheapest(candidates, false, most);
    }

    private static List<FabricCandidate> cheapest(List<FabricCandidate> candidates, boolean onFront, int most) {
        return candidates.stream()
                .filter(candidate -> candidate.isOnFront() == onFront)
                .sorted(Comparator.comparingDouble(
                                (FabricCandidate candidate) -> candidate.plan().has(FabricPlan.USD_PER_MTOK)
                                        ? candidate.plan().figure(FabricPlan.USD_PER_MTOK)
                                        : Double.MAX_VALUE)
                        .thenComparingInt(FabricCandidate::number))
                .limit(most)
                .toList();
    }

    /** All candidates, those that are shown with ranges of their figures, and the winner among them. */
    static List<FabricCandidate> ranged(List<FabricCandidate> candidates, int most, UnaryOperator<FabricPlan> ranges) {
        List<FabricCandidate> all = new ArrayList<>(candidates);
        List<FabricCandidate> shown = new ArrayList<>(front(candidates, Math.max(1, most)));
        shown.addAll(losers(candidates, most));
        shown.parallelStream()
                .map(candidate -> candidate.with(ranges.apply(candidate.plan())))
                .toList()
                .forEach(candidate -> all.set(candidate.number(), candidate));
        return all;
    }
}
