package dev.stagesim.sim.serving.cluster;

import java.util.List;
import java.util.Map;

/**
 * What came out of a run.
 *
 * @param requests in the order in which they were created
 * @param instances in the order in which they were added
 */
public record BlisOutcome(
        List<BlisRequest> requests,
        List<BlisInstance> instances,
        List<Route> routes,
        List<Refusal> refusals,
        List<SplitRequest> splits,
        List<SplitDecision> splitDecisions,
        Counts counts) {
    /** A routing decision; without scores where the router has none. */
    public record Route(String request, long at, String to, Map<String, Double> scores) {}

    /** A refused admission. */
    public record Refusal(String request, long at, String reason) {}

    /** Whether a request was split. */
    public record SplitDecision(String request, long at, boolean isSplit) {}

    /**
     * Counts of the cluster that no instance has.
     *
     * @param shed refused or dropped requests by class
     * @param prefillsDone prompts of split requests, which the instances count as completed
     * @param inTransfer split requests between their parts
     * @param ttftCorrection what the sum of TTFTs changes by when split requests count as one
     * @param peakTransfers most transfers at once, when they contend
     * @param meanTransfers mean of transfers at once at the starts
     */
    public record Counts(
            int refusedAdmissions,
            int refusedRoutings,
            int refusedEncodings,
            int gatewayWaiting,
            int gatewayRefused,
            int gatewayShed,
            int gatewayExpired,
            int gatewayEvicted,
            Map<String, Integer> shed,
            int prefillsDone,
            int droppedTransfers,
            int inTransfer,
            long ttftCorrection,
            int peakTransfers,
            double meanTransfers) {}
}
