package dev.stagesim.sim.serving.policy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A step of SGLang: prompts and then, where steps are mixed, decodes; or decodes alone, those in step first. */
public final class SglangStep {
    /** The requests with their shares, without those in step. */
    public final List<Part> parts = new ArrayList<>();

    /** Requests that came in for the first time. */
    public final List<SglangRequest> admitted = new ArrayList<>();

    /** Requests that lost their memory for this step, in order. */
    public final List<SglangRequest> retracted = new ArrayList<>();

    private @Nullable SglangInStep group;
    private long number;
    private int inStep;
    private int givenBack;

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

    /** The first requests decode in step. */
    void inStep(SglangInStep members, long decodeStep, int count) {
        group = members;
        number = decodeStep;
        inStep = count;
    }

    /** Plans a request as if it had not been in step. */
    void giveBack(SglangRequest request) {
        parts.add(givenBack++, new Part(request, 1, request.allocated, false));
        request.inFlight++;
    }

    /** All that were in step have been given back: they go in the order of {@code running}. */
    void settled(List<SglangRequest> running) {
        for (int i = 0; i < running.size(); i++) {
            running.get(i).place = i;
        }
        parts.subList(0, givenBack).sort(Comparator.comparingInt(part -> part.request().place));
        inStep = 0;
        givenBack = 0;
    }

    /** Whether nobody is in the step. */
    public boolean isEmpty() {
        return parts.isEmpty() && inStep == 0;
    }

    /** How many requests were planned in step. */
    public int inStep() {
        return inStep;
    }

    /** How many of them, the first parts, are processed one by one. */
    public int givenBack() {
        return givenBack;
    }

    /** The requests in step; null when they are planned one by one. */
    public @Nullable SglangInStep group() {
        return group;
    }

    /** Which decode step it is, from 1; 0 when it has no requests in step. */
    long number() {
        return number;
    }

    boolean hasPrompts() {
        return !parts.isEmpty() && parts.get(0).isPrompt();
    }
}
