package dev.stagesim.sweep.search;

import dev.stagesim.model.KeyNames;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The outcome of a candidate.
 *
 * @param rank the final state
 * @param why reason for the state
 * @param seeds number of simulated seeds; 0 if it was never simulated
 * @param load the load of its metrics, or NaN if there is none
 * @param figures means over the seeds, or the metrics that need no simulation
 */
public record CandidateVerdict(
        Candidate candidate, Rank rank, String why, int seeds, double load, SortedMap<String, Double> figures) {
    /** The final states of a candidate. */
    public enum Rank {
        /** The best candidate, or a Pareto-optimal one. */
        WON,
        /** The candidate meets the SLO, but another one is better. */
        LOST,
        /** The candidate does not meet the SLO. */
        MISSED,
        /** The candidate was pruned before all seeds were simulated. */
        PRUNED,
        /** The candidate exceeds the budget and was not simulated. */
        OVER_BUDGET,
        /** The candidate cannot run. */
        REFUSED;

        /** Returns the text in tables. */
        public String text() {
            return KeyNames.constant(this);
        }
    }

    public CandidateVerdict {
        figures = Collections.unmodifiableSortedMap(new TreeMap<>(figures));
    }

    static CandidateVerdict unseen(Candidate candidate, Rank rank, String why) {
        return new CandidateVerdict(candidate, rank, why, 0, Double.NaN, candidate.known());
    }
}
