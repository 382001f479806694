package dev.stagesim.sweep.search;

import java.util.Collections;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Outcome of a candidate.
 *
 * @param rank how it ended
 * @param why in words
 * @param seeds number of seeds behind its figures; 0 when it was never simulated
 * @param load the load that its figures are of; not a number where there is none
 * @param figures means over the seeds, or what is known without a simulation
 */
public record Verdict(
        Candidate candidate, Rank rank, String why, int seeds, double load, SortedMap<String, Double> figures) {
    /** How a candidate ended. */
    public enum Rank {
        /** The best, or a Pareto-optimal one. */
        WON,
        /** It can do what is asked, and another does it better. */
        LOST,
        /** It does not meet the SLO. */
        MISSED,
        /** It was given up before all seeds were simulated. */
        PRUNED,
        /** It is over budget, and was not simulated. */
        OVER_BUDGET,
        /** It cannot be run. */
        REFUSED;

        /** Text in tables. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public Verdict {
        figures = Collections.unmodifiableSortedMap(new TreeMap<>(figures));
    }

    static Verdict unseen(Candidate candidate, Rank rank, String why) {
        return new Verdict(candidate, rank, why, 0, Double.NaN, candidate.known());
    }
}
