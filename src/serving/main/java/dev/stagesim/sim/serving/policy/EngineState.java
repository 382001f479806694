package dev.stagesim.sim.serving.policy;

import dev.stagesim.sim.core.IntList;
import dev.stagesim.sim.serving.memory.Growth;
import dev.stagesim.sim.serving.memory.PagedBlocks;
import dev.stagesim.sim.serving.request.RequestSpec;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the parts of the scheduler share: the queues, the cache, and what is still in flight. */
final class EngineState {
    /** Which requests a paused engine leaves alone. */
    enum Pause {
        NONE,
        NEW,
        ALL
    }

    /** Blocks that are free once a step has been processed. */
    private record Fenced(long step, IntList blocks) {}

    final VllmSettings settings;
    final PagedBlocks cache;
    final Drafting drafting;
    final @Nullable KvConnector connector;
    final RequestQueue waiting;
    final RequestQueue skipped;
    final List<LiveRequest> running = new ArrayList<>();
    final IntList finished = new IntList();
    final Growth growth = new Growth();
    final EncoderCache encoders;
    Pause pause = Pause.NONE;
    long step;
    /** Leading running requests that {@link InStep} plans, or that end with a step in flight. */
    int inStep;

    private final boolean isFenced;
    private final Deque<Fenced> fence = new ArrayDeque<>();
    private long lastWorkingStep;
    private int held;

    EngineState(VllmSettings settings, PagedBlocks cache, Drafting drafting, @Nullable KvConnector connector) {
        this.settings = settings;
        this.cache = cache;
        this.drafting = drafting;
        this.connector = connector;
        waiting = new RequestQueue(settings.byPriority());
        skipped = new RequestQueue(settings.byPriority());
        encoders = new EncoderCache(settings.encoderTokens());
        isFenced = connector != null && connector.isConsumer() && settings.batchesInFlight() > 1;
    }

    /** Requests that wait for more input of their session; they count as running for admission. */
    int streaming() {
        int count = 0;
        for (LiveRequest request : skipped.unordered()) {
            if (request.status == LiveRequest.Status.WAITING_FOR_STREAM) {
                count++;
            }
        }
        return count;
    }

    /** Requests that keep the engine busy. */
    int unfinished() {
        return switch (pause) {
            case ALL -> 0;
            case NEW -> running.size();
            case NONE -> running.size() + waiting.size() + skipped.size() - streaming();
        };
    }

    /** Whether another step is due, be it only to tell the workers who ended. */
    boolean hasRequests() {
        return unfinished() > 0 || !finished.isEmpty() || held > 0;
    }

    void noteStep(StepPlan plan) {
        if (plan.total() > 0) {
            lastWorkingStep = plan.step();
        }
    }

    /** The step that is planned has tokens. */
    void noteWork() {
        lastWorkingStep = step;
    }

    /** Whether a step has nothing to look at but the requests that run. */
    boolean isUndisturbed() {
        return pause == Pause.NONE && waiting.isEmpty() && skipped.isEmpty() && finished.isEmpty() && held == 0;
    }

    /** Frees a request's blocks, or notes to do so once the steps that may write to them are processed. */
    void free(LiveRequest request) {
        encoders.release(request);
        if (isFenced && request.inFlight > 0) {
            fence.addLast(new Fenced(lastWorkingStep, cache.detach(request.holding)));
        } else {
            cache.release(request.holding);
        }
    }

    /** Frees blocks in order, or later where a step in flight may still use them. */
    void free(IntList blocks) {
        if (isFenced) {
            fence.addLast(new Fenced(lastWorkingStep, blocks));
        } else {
            cache.release(blocks);
        }
    }

    void drainFence(long processed) {
        while (!fence.isEmpty() && fence.getFirst().step() <= processed) {
            cache.release(fence.removeFirst().blocks());
        }
    }

    /** Ends a request and frees what it holds unless the connector keeps it. */
    void finish(LiveRequest request, LiveRequest.Status status) {
        request.status = status;
        finished.add(request.spec.index());
        if (connector != null) {
            cache.dropOutside(request.holding, request.computed - request.inFlight);
            if (connector.keeps(request)) {
                encoders.release(request);
                held++;
                return;
            }
        }
        free(request);
    }

    /** A session's output has ended: it keeps its blocks, and goes on once more of its prompt is there. */
    void endTurn(LiveRequest request) {
        request.endTurn();
        if (request.resume()) {
            cache.extend(request.holding, request.spec);
            waiting.add(request);
        } else {
            skipped.add(request);
        }
    }

    /** More of a session's prompt is there. */
    void follow(LiveRequest request, RequestSpec next, boolean isResumable) {
        request.follow(next, isResumable);
        if (request.status == LiveRequest.Status.WAITING_FOR_STREAM) {
            // its place by priority is another one now
            boolean moves = settings.byPriority() && skipped.remove(request);
            request.resume();
            cache.extend(request.holding, next);
            if (moves) {
                skipped.add(request);
            }
        }
    }

    /** The connector lets go of a request that ended. */
    void letGo(LiveRequest request) {
        held--;
        free(request);
    }

    /** Takes a request out of every queue. */
    void remove(LiveRequest request) {
        int at = running.indexOf(request);
        if (at >= 0) {
            running.remove(at);
            inStep -= at < inStep ? 1 : 0;
        } else if (!waiting.remove(request)) {
            skipped.remove(request);
        }
    }

    /** Takes a running request's blocks away; it will compute what it knows again. */
    void preempt(LiveRequest request, boolean isForced) {
        cache.show(request.holding);
        free(request);
        request.status = LiveRequest.Status.PREEMPTED;
        request.computed = 0;
        request.drafts = 0;
        request.placeholders = 0;
        request.isContinued = false;
        request.preemptions++;
        boolean delivers = connector != null && connector.isProducer();
        request.dropsStale = isForced || delivers || (request.dropsStale && request.stale > 0);
        request.stale = request.inFlight;
        waiting.addFirst(request);
    }
}
