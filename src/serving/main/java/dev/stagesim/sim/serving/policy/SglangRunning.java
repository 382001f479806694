package dev.stagesim.sim.serving.policy;

import dev.stagesim.sim.serving.memory.SglangRule;
import dev.stagesim.sim.serving.settings.SglangSettings;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The running requests of SGLang's scheduler: their decode steps, and their retractions if pages are missing. */
final class SglangRunning {
    /** Number of decode steps that must fit the memory after a retraction. */
    private static final int RETRACT_STEPS = 20;

    private final SglangSettings settings;
    private final TokenPool pool;
    private final SglangWaitingQueue queue;
    private final List<SglangRequest> requests = new ArrayList<>();

    /** Requests that do not decode in lockstep. */
    private final List<SglangRequest> individual = new ArrayList<>();

    private @Nullable SglangLockstep lockstep;
    private boolean hasEnded;
    private double ratio;

    /** @param queue takes retracted requests */
    SglangRunning(SglangSettings settings, TokenPool pool, SglangWaitingQueue queue) {
        this.settings = settings;
        this.pool = pool;
        this.queue = queue;
        ratio = settings.firstRatio();
    }

    /** Plans decoding requests in lockstep from now on; no effect if prompts are mixed with decodes. */
    void enableLockstep(Deque<SglangStep> flights) {
        lockstep = settings.mixedChunk() ? null : new SglangLockstep(pool, flights);
    }

    List<SglangRequest> requests() {
        return requests;
    }

    /** Returns the share of the outputs that admission reserves. */
    double ratio() {
        return ratio;
    }

    /** Resets the share of the outputs of an idle engine. */
    void resetRatio() {
        ratio = settings.firstRatio();
    }

    void add(SglangRequest request) {
        requests.add(request);
        individual.add(request);
    }

    /** Marks a request as finished. It runs until {@link #removeEnded}. */
    void end(SglangRequest request) {
        request.isFinished = true;
        hasEnded = true;
    }

    /** Removes the finished requests. Returns true if there are any. */
    boolean removeEnded() {
        if (!hasEnded) {
            return false;
        }
        hasEnded = false;
        individual.removeIf(request -> request.isFinished);
        return requests.removeIf(request -> request.isFinished);
    }

    /** Removes the requests that end with a result in flight. Returns true if any does. */
    private boolean skipLastResults() {
        boolean skips = settings.rules().has(SglangRule.SKIPS_LAST_RESULTS)
                && settings.overlap()
                && individual.removeIf(SglangRunning::endsInFlight);
        return skips && requests.removeIf(request -> request.group == null && endsInFlight(request));
    }

    private static boolean endsInFlight(SglangRequest request) {
        return request.inFlight > 0 && request.output + 1 >= request.maxNew;
    }

    /**
     * Adds a token of each request to a decode step, after retractions if pages are missing. Returns false if no request
     * runs, or if the engine waits for a result in flight.
     */
    boolean plan(SglangStep step, long processed) {
        removeEnded();
        if (lockstep != null) {
            lockstep.begin(individual);
        }
        boolean isShorter = skipLastResults();
        if (requests.isEmpty()) {
            return false;
        }
        if (fits(individual)) {
            ratio = Math.max(ratio - settings.ratioDecay(), settings.leastRatio());
        } else if (isShorter) {
            return false; // the result in flight frees memory, so that nothing needs to be retracted
        } else {
            retract(step, processed);
        }
        decode(step);
        return true;
    }

    /** Moves the requests to a step with prompts if memory suffices. Returns true if a request ends with a result in flight. */
    boolean join(SglangStep step) {
        removeEnded();
        boolean isShorter = skipLastResults();
        if (fits(individual)) {
            decode(step);
            requests.clear();
            individual.clear();
        }
        return isShorter;
    }

    private void decode(SglangStep step) {
        if (pool.pageSize() > 1) {
            // SGLang evicts a page for each request, whether it needs one or not
            pool.evictFor(requests.size() * pool.pageSize());
        }
        if (lockstep != null) {
            lockstep.plan(step);
        }
        for (SglangRequest request : individual) {
            step.add(request, 1, request.allocated, false);
            pool.extend(request, request.allocated + 1);
            request.isDecoding = true;
        }
    }

    /** Returns true if memory suffices for one more token of each request, including the lockstep group, after evictions. */
    private boolean fits(List<SglangRequest> alone) {
        int pages = lockstep == null ? 0 : lockstep.pages();
        for (SglangRequest request : alone) {
            pages += pool.needsPage(request) ? 1 : 0;
        }
        pool.evictFor(pages * pool.pageSize());
        return pool.available() >= pages * pool.pageSize();
    }

    /** Retracts the requests with the shortest outputs; among equal outputs, the requests with the longest prompts. */
    private void retract(SglangStep step, long processed) {
        settle();
        requests.sort(Comparator.<SglangRequest>comparingInt(request -> -request.output)
                .thenComparingInt(request -> request.prompt));
        do {
            SglangRequest victim = requests.remove(requests.size() - 1);
            pool.drop(victim);
            pool.evictFor(requests.size() * RETRACT_STEPS);
            victim.isRetracted = true;
            victim.isDecoding = false;
            step.retracted.add(victim);
            queue.retract(victim, processed);
        } while (!fits(requests));
        individual.clear();
        individual.addAll(requests);
        long outputs = 0;
        long requested = 1;
        for (SglangRequest request : requests) {
            outputs += request.output + RETRACT_STEPS;
            requested += request.maxNew;
        }
        ratio = Math.min(1, (double) outputs / requested);
    }

    /** Processes the lockstep group of a step, if it has one. */
    void processGroup(SglangStep step) {
        if (step.group() != null) {
            step.group().process(step, individual);
        }
    }

    /** Ends the lockstep of all requests. */
    void settle() {
        if (lockstep != null) {
            lockstep.settle(requests, individual);
        }
    }
}
