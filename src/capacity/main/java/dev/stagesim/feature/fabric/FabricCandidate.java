package dev.stagesim.feature.fabric;

import dev.stagesim.model.KeyNames;

/**
 * A plan that the optimiser evaluated, and its outcome.
 *
 * @param number index among the candidates, from 0
 * @param reason explanation of the outcome; empty on the front
 */
record FabricCandidate(int number, FabricPlan plan, Status status, String reason) {
    /** Outcomes of a candidate. */
    enum Status {
        /** Not dominated by any other candidate. */
        FRONT("on the front"),
        /** Another candidate is at least as good in every objective and better in one. */
        DOMINATED("dominated"),
        /** Violates a limit of the SLO. */
        SLO("violates the SLO"),
        /** Requires more nodes than are allowed. */
        SATURATED("too few nodes"),
        /** Cannot run. */
        INFEASIBLE("cannot run");

        private final String label;

        Status(String label) {
            this.label = label;
        }

        /** Returns the value in tables. */
        String text() {
            return KeyNames.constant(this);
        }

        /** Returns the description in reports. */
        String label() {
            return label;
        }
    }

    /** Returns this candidate with ranges of its metrics. */
    FabricCandidate with(FabricPlan ranged) {
        return new FabricCandidate(number, ranged, status, reason);
    }

    boolean isOnFront() {
        return status == Status.FRONT;
    }
}
