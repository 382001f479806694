package dev.stagesim.feature.fabric;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.UnaryOperator;

/** Selects the candidates for the report: the cheapest on the front, and the cheapest that are not. */
final class ReportedCandidates {
    private ReportedCandidates() {}

    /** Returns the cheapest candidates on the front. */
    static List<FabricCandidate> front(List<FabricCandidate> candidates, int max) {
        return cheapest(candidates, true, max);
    }

    /** Returns the cheapest candidates that are not on the front. */
    static List<FabricCandidate> rejected(List<FabricCandidate> candidates, int max) {
        return cheapest(candidates, false, max);
    }

    private static List<FabricCandidate> cheapest(List<FabricCandidate> candidates, boolean onFront, int max) {
        return candidates.stream()
                .filter(candidate -> candidate.isOnFront() == onFront)
                .sorted(Comparator.comparingDouble(
                                (FabricCandidate candidate) -> candidate.plan().has(FabricPlan.USD_PER_MTOK)
                                        ? candidate.plan().metric(FabricPlan.USD_PER_MTOK)
                                        : Double.MAX_VALUE)
                        .thenComparingInt(FabricCandidate::number))
                .limit(max)
                .toList();
    }

    /** Returns all candidates; the reported ones have ranges. */
    static List<FabricCandidate> withRanges(
            List<FabricCandidate> candidates, int max, UnaryOperator<FabricPlan> ranges) {
        List<FabricCandidate> all = new ArrayList<>(candidates);
        List<FabricCandidate> reported = new ArrayList<>(front(candidates, Math.max(1, max)));
        reported.addAll(rejected(candidates, max));
        reported.parallelStream()
                .map(candidate -> candidate.with(ranges.apply(candidate.plan())))
                .toList()
                .forEach(candidate -> all.set(candidate.number(), candidate));
        return all;
    }
}
