package dev.stagesim.feature.fabric;

import java.util.OptionalInt;

/**
 * A plan that the optimiser evaluated, and its outcome.
 *
 * @param number index among the candidates, from 0
 * @param reason explanation of the outcome; empty on the front
 * @param dominator number of the candidate that dominates this one
 */
record FabricCandidate(int number, FabricPlan plan, Status status, String reason, OptionalInt dominator) {
    /** Outcomes of a candidate. */
    enum Status {
        /** Not dominated by any other candidate. */
        FRONT("front"),
        /** Another candidate is at least as good in every objective and better in one. */
        DOMINATED("dominated"),
        /** Violates a limit of the SLO. */
        SLO("slo"),
        /** Requires more nodes than are allowed. */
        SATURATED("saturated"),
        /** Cannot run. */
        INFEASIBLE("infeasible");

        private final String text;

        Status(String text) {
            this.text = text;
        }

        String text() {
            return text;
        }
    }

    /** Returns this candidate with ranges of its metrics. */
    FabricCandidate with(FabricPlan ranged) {
        return new FabricCandidate(number, ranged, status, reason, dominator);
    }

    boolean isOnFront() {
        return status == Status.FRONT;
    }
}
