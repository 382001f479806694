package dev.stagesim.feature.cluster.engine;

import dev.stagesim.feature.cluster.instance.Life;
import dev.stagesim.sim.serving.RequestStates;
import dev.stagesim.sim.serving.RequestTrace;
import java.util.ArrayList;
import java.util.List;

/** What goes down with an instance: its requests, and the tokens that were computed for them. */
final class Losses {
    private final Life life;
    private final RequestTrace trace;
    private final RequestStates states;
    private final Handovers handovers;

    /** The first request that may not be over. */
    private int oldest;

    private long tokens;

    Losses(Life life, RequestTrace trace, RequestStates states, Handovers handovers) {
        this.life = life;
        this.trace = trace;
        this.states = states;
        this.handovers = handovers;
    }

    /** Requests below a number that cannot go on without an instance. */
    List<Integer> requests(int instance, int below) {
        while (oldest < below && !life.isOpen(oldest)) {
            oldest++;
        }
        List<Integer> lost = new ArrayList<>();
        for (int request = oldest; request < below; request++) {
            if (life.isOpen(request) && needs(request, instance)) {
                lost.add(request);
                tokens += computed(request) - life.hits[request];
            }
        }
        return lost;
    }

    private boolean needs(int request, int instance) {
        return switch (life.stage[request]) {
            case SENT, IN_FIRST -> life.first[request] == instance;
            case BETWEEN, IN_SECOND ->
                life.second[request] == instance
                        || (life.first[request] == instance
                                && handovers.isKept(request)
                                && Double.isNaN(life.resumed[request]));
            default -> false;
        };
    }

    private int computed(int request) {
        return switch (life.stage[request]) {
            case IN_FIRST -> computedAt(2 * request);
            case BETWEEN -> trace.prefillTokens(request);
            case IN_SECOND -> Math.max(trace.prefillTokens(request), computedAt(2 * request + 1));
            default -> 0;
        };
    }

    private int computedAt(int place) {
        return states.everScheduled(place) ? states.processedTokens(place) : 0;
    }

    /** Tokens that had been computed for requests when their instance failed. */
    long tokens() {
        return tokens;
    }
}
