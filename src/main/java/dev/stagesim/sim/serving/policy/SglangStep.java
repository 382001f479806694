package dev.stagesim.sim.serving.policy;

import java.util.ArrayList;
import java.util.List;

/** A step of SGLang: prompts and then, where steps are mixed, decodes; or decodes alone. */
public final class SglangStep {
    /** The requests with their shares. */
    public final List<Part> parts = new ArrayList<>();

    /** Requests that came in for the first time. */
    public final List<SglangRequest> admitted = new ArrayList<>();

    /** Requests that lost their memory for this step, in order. */
    public final List<SglangRequest> retracted = new ArrayList<>();

    /**
     * A request's share of the step.
     *
     * @param tokens tokens to compute
     * @param computed tokens computed before
     */
    public record Part(SglangRequest request, int tokens, int computed, boolean isPrompt) {
        int end() {
            return computed + tokens;
        }

        /** Whether it yields a token; a part of a prompt that is not its last one does not. */
        boolean samples() {
            return !isPrompt || end() >= request.known();
        }
    }

    void add(SglangRequest request, int tokens, int computed, boolean isPrompt) {
        parts.add(new Part(request, tokens, computed, isPrompt));
        request.inFlight++;
    }

    boolean hasPrompts() {
        return !parts.isEmpty() && parts.get(0).isPrompt();
    }
}
