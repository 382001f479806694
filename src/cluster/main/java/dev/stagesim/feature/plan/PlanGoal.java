package dev.stagesim.feature.plan;

/** The quantity that a plan optimises, among deployments that meet the SLO. */
enum PlanGoal {
    /** The lowest cost for a load. */
    CHEAPEST,
    /** The highest load per device. */
    THROUGHPUT,
    /** The lowest P99 E2E latency of a load on a number of devices. */
    LATENCY
}
