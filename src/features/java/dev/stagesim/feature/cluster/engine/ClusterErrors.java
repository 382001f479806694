package dev.stagesim.feature.cluster.engine;

import dev.stagesim.feature.cluster.instance.RequestTimeline;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.serving.RequestTrace;
import dev.stagesim.sim.serving.SimulatedTime;

/** Why a simulation of a cluster cannot go on. */
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

    /** No instance opens any more for a request that waits. */
    static StageException unopened(RequestTimeline timeline, boolean isScaled) {
        String why = "request " + firstOpen(timeline) + " never starts: no instance is open, and ";
        return StageException.input(
                isScaled
                        ? Problem.config("cluster.pools", why + "the rule of scaling orders none")
                                .hint("lower what the rule is activated by, or set scaling.min=1")
                        : Problem.config("cluster.failures", why + "every start ends in the next failure")
                                .hint("raise cluster.failures.mtbf_h, or shorten cluster.start"));
    }

    static StageException stuck(RequestTimeline timeline, RequestTrace trace) {
        int request = firstOpen(timeline);
        return StageException.input(Problem.of(
                        "workload error",
                        "request " + request,
                        "never finishes: nothing runs any more, and its " + trace.prefillTokens(request)
                                + " prompt and " + trace.decodeTokens(request) + " output tokens found no room")
                .hint("give the pools more memory (tp, memory_utilization), or cap requests with workload.max_tokens"));
    }
}
