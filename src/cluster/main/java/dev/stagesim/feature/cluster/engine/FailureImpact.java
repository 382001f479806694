package dev.stagesim.feature.cluster.engine;

import dev.stagesim.feature.cluster.instance.RequestTimeline;
import dev.stagesim.sim.serving.replica.RequestStates;
import dev.stagesim.sim.serving.request.RequestTrace;
import java.util.ArrayList;
import java.util.List;

/** Finds the requests and tokens that are lost when an instance fails. */
final class FailureImpact {
    private final RequestTimeline timeline;
    private final RequestTrace trace;
    private final RequestStates states;
    private final KvHandoffs handoffs;

    /** Lower bound of the unfinished requests. */
    private int oldest;

    private long tokens;

    FailureImpact(RequestTimeline timeline, RequestTrace trace, RequestStates states, KvHandoffs handoffs) {
        this.timeline = timeline;
        this.trace = trace;
        this.states = states;
        this.handoffs = handoffs;
    }

    /** Returns the requests below {@code below} that need a failed instance. */
    List<Integer> requests(int instance, int below) {
        while (oldest < below && !timeline.isOpen(oldest)) {
            oldest++;
        }
        List<Integer> lost = new ArrayList<>();
        for (int request = oldest; request < below; request++) {
            if (timeline.isOpen(request) && needs(request, instance)) {
                lost.add(request);
                tokens += computed(request) - timeline.hits[request];
            }
        }
        return lost;
    }

    private boolean needs(int request, int instance) {
        return switch (timeline.stage[request]) {
            case SENT, RESERVING, IN_FIRST ->
                timeline.first[request] == instance || timeline.second[request] == instance;
            case BETWEEN, IN_SECOND ->
                timeline.second[request] == instance
                        || (timeline.first[request] == instance
                                && handoffs.isKept(request)
                                && Double.isNaN(timeline.resumed[request]));
            default -> false;
        };
    }

    private int computed(int request) {
        return switch (timeline.stage[request]) {
            case IN_FIRST -> computedAt(2 * request);
            case BETWEEN -> trace.prefillTokens(request);
            case IN_SECOND -> Math.max(trace.prefillTokens(request), computedAt(2 * request + 1));
            default -> 0;
        };
    }

    private int computedAt(int place) {
        return states.everScheduled(place) ? states.processedTokens(place) : 0;
    }

    /** Returns the tokens that failed instances had computed for unfinished requests. */
    long tokens() {
        return tokens;
    }
}
