package dev.stagesim.sim.serving.policy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A step of SGLang: prompts followed by decodes if steps are mixed, or decodes alone, the lockstep group first. */
public final class SglangStep {
    /** The individual requests with their shares of the step. */
    public final List<Part> parts = new ArrayList<>();

    /** Requests that were admitted for the first time. */
    public final List<SglangRequest> admitted = new ArrayList<>();

    /** Requests that were retracted for this step, in order. */
    public final List<SglangRequest> retracted = new ArrayList<>();

    private @Nullable SglangLockstep group;
    private long number;
    private int inStep;
    private int madeIndividual;

    /**
     * The share of a request in the step.
     *
     * @param tokens tokens to compute
     * @param computed tokens computed before
     */
    public record Part(SglangRequest request, int tokens, int computed, boolean isPrompt) {
        int end() {
            return computed + tokens;
        }

        /** Returns true if it produces a token; all parts of a prompt except the last do not. */
        boolean samples() {
            return !isPrompt || end() >= request.known();
        }
    }

    void add(SglangRequest request, int tokens, int computed, boolean isPrompt) {
        parts.add(new Part(request, tokens, computed, isPrompt));
        request.inFlight++;
    }

    /** Sets the leading requests, which decode in lockstep. */
    void inStep(SglangLockstep members, long decodeStep, int count) {
        group = members;
        number = decodeStep;
        inStep = count;
    }

    /** Adds an entry for a request that left the lockstep group. */
    void makeIndividual(SglangRequest request) {
        parts.add(madeIndividual++, new Part(request, 1, request.allocated, false));
        request.inFlight++;
    }

    /** Sorts the entries in the order of {@code running} after all members have left the lockstep group. */
    void settled(List<SglangRequest> running) {
        for (int i = 0; i < running.size(); i++) {
            running.get(i).place = i;
        }
        parts.subList(0, madeIndividual).sort(Comparator.comparingInt(part -> part.request().place));
        inStep = 0;
        madeIndividual = 0;
    }

    /** Returns true if the step has no requests. */
    public boolean isEmpty() {
        return parts.isEmpty() && inStep == 0;
    }

    /** Returns the number of requests that were planned in lockstep. */
    public int inStep() {
        return inStep;
    }

    /** Returns how many of these, the first parts, are now individual entries. */
    public int madeIndividual() {
        return madeIndividual;
    }

    /** Returns the lockstep group, or null if all requests are individual. */
    public @Nullable SglangLockstep group() {
        return group;
    }

    /** Returns the number of the decode step, from 1, or 0 if it has no requests in lockstep. */
    long number() {
        return number;
    }

    boolean hasPrompts() {
        return !parts.isEmpty() && parts.get(0).isPrompt();
    }
}
