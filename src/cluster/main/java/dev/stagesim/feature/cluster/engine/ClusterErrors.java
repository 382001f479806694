package dev.stagesim.feature.cluster.engine;

import dev.stagesim.feature.cluster.instance.RequestTimeline;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.core.SimulatedTime;
import dev.stagesim.sim.serving.request.RequestTrace;

/** Errors that end a cluster simulation. */
final class ClusterErrors {
    private ClusterErrors() {}

    static StageException endless() {
        return StageException.input(SimulatedTime.tooLong());
    }

    private static int firstOpen(RequestTimeline timeline) {
        int request = 0;
        while (!timeline.isOpen(request)) {
            request++;
        }
        return request;
    }

    /** Reports that no instance will open for a waiting request. */
    static StageException unopened(RequestTimeline timeline, boolean isScaled) {
        String reason = "request " + firstOpen(timeline) + " never starts: no instance is open, and ";
        return StageException.input(
                isScaled
                        ? Problem.config("cluster.pools", reason + "the autoscaling rule orders none")
                                .hint("lower the activation threshold of the rule, or set scaling.min=1")
                        : Problem.config("cluster.failures", reason + "every start ends in the next failure")
                                .hint("raise cluster.failures.mtbf_h, or shorten cluster.start"));
    }

    static StageException stuck(RequestTimeline timeline, RequestTrace trace) {
        int request = firstOpen(timeline);
        return StageException.input(Problem.of(
                        "workload error",
                        "request " + request,
                        "never finishes: the simulation has no further events, but its " + trace.prefillTokens(request)
                                + " prompt and " + trace.decodeTokens(request) + " output tokens do not fit in memory")
                .hint("give the pools more memory (tp, memory_utilization), or limit requests with"
                        + " workload.max_tokens"));
    }
}
