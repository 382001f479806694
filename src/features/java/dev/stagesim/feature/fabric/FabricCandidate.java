package dev.stagesim.feature.fabric;

import java.util.OptionalInt;

/**
 * A plan that the optimiser tried, and what became of it.
 *
 * @param number its place among the candidates, from 0
 * @param status on the front, or why it lost
 * @param reason one sentence for losers; empty on the front
 * @param dominator the candidate that is better, where one is
 */
record FabricCandidate(int number, FabricPlan plan, Status status, String reason, OptionalInt dominator) {
    /** Outcome of a candidate. */
    enum Status {
        /** No other is better. */
        FRONT("front"),
        /** Another is no worse in everything and better in something. */
        DOMINATED("dominated"),
        /** It breaks a limit of the slo. */
        SLO("slo"),
        /** It has too few nodes. */
        SATURATED("saturated"),
        /** It cannot run. */
        INFEASIBLE("infeasible");

        private final String text;

        Status(String text) {
            this.text = text;
        }

        String text() {
            return text;
        }
    }

    /** The same with ranges of its figures. */
    FabricCandidate with(FabricPlan ranged) {
        return new FabricCandidate(number, ranged, status, reason, dominator);
    }

    boolean isOnFront() {
        return status == Status.FRONT;
    }
}
