package dev.stagesim.sim.serving.policy;

import dev.stagesim.sim.core.IntList;
import dev.stagesim.sim.serving.memory.BlockAllocation;
import dev.stagesim.sim.serving.memory.PagedBlocks;
import dev.stagesim.sim.serving.request.RequestSpec;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The state that the parts of the scheduler share: the queues, the cache, and the work in flight. */
final class EngineState {
    /** The requests that a paused engine does not schedule. */
    enum Pause {
        NONE,
        NEW,
        ALL
    }

    /** Blocks that become free after a step has been processed. */
    private record Fenced(long step, IntList blocks) {}

    final VllmSettings settings;
    final PagedBlocks cache;
    final Drafting drafting;
    final @Nullable KvConnector connector;
    final RequestQueue waiting;
    final RequestQueue skipped;
    final List<LiveRequest> running = new ArrayList<>();
    final IntList finished = new IntList();
    final BlockAllocation growth = new BlockAllocation();
    final EncoderCache encoders;
    Pause pause = Pause.NONE;
    long step;
    /** Number of leading running requests that {@link LockstepDecoder} plans or that end with a step in flight. */
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

    /** Returns the number of requests that wait for more input of their session; they count as running for admission. */
    int streaming() {
        int count = 0;
        for (LiveRequest request : skipped.unordered()) {
            if (request.status == LiveRequest.Status.WAITING_FOR_STREAM) {
                count++;
            }
        }
        return count;
    }

    /** Returns the number of requests that keep the engine busy. */
    int unfinished() {
        return switch (pause) {
            case ALL -> 0;
            case NEW -> running.size();
            case NONE -> running.size() + waiting.size() + skipped.size() - streaming();
        };
    }

    /** Returns true if another step is due, possibly only to report finished requests to the workers. */
    boolean hasRequests() {
        return unfinished() > 0 || !finished.isEmpty() || held > 0;
    }

    void noteStep(StepPlan plan) {
        if (plan.total() > 0) {
            lastWorkingStep = plan.step();
        }
    }

    /** Records that the step that is being planned has tokens. */
    void noteWork() {
        lastWorkingStep = step;
    }

    /** Returns true if a step concerns only the running requests. */
    boolean isUndisturbed() {
        return pause == Pause.NONE && waiting.isEmpty() && skipped.isEmpty() && finished.isEmpty() && held == 0;
    }

    /** Frees the blocks of a request, or schedules this until the steps that may write to them are processed. */
    void free(LiveRequest request) {
        encoders.release(request);
        if (isFenced && request.inFlight > 0) {
            fence.addLast(new Fenced(lastWorkingStep, cache.detach(request.blocks)));
        } else {
            cache.release(request.blocks);
        }
    }

    /** Frees blocks in order, or later if a step in flight may still use them. */
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

    /** Ends a request and frees its memory unless the connector keeps it. */
    void finish(LiveRequest request, LiveRequest.Status status) {
        request.status = status;
        finished.add(request.spec.index());
        if (connector != null) {
            cache.dropOutside(request.blocks, request.computed - request.inFlight);
            if (connector.keeps(request)) {
                encoders.release(request);
                held++;
                return;
            }
        }
        free(request);
    }

    /** Ends the output of a session's turn. The session keeps its blocks and continues with the next turn. */
    void endTurn(LiveRequest request) {
        request.endTurn();
        if (request.resume()) {
            cache.extend(request.blocks, request.spec);
            waiting.add(request);
        } else {
            skipped.add(request);
        }
    }

    /** Adds the next turn of a session. */
    void follow(LiveRequest request, RequestSpec next, boolean isResumable) {
        request.follow(next, isResumable);
        if (request.status == LiveRequest.Status.WAITING_FOR_STREAM) {
            // its position by priority changes
            boolean moves = settings.byPriority() && skipped.remove(request);
            request.resume();
            cache.extend(request.blocks, next);
            if (moves) {
                skipped.add(request);
            }
        }
    }

    /** Frees a finished request that the connector kept. */
    void release(LiveRequest request) {
        held--;
        free(request);
    }

    /** Removes a request from all queues. */
    void remove(LiveRequest request) {
        int at = running.indexOf(request);
        if (at >= 0) {
            running.remove(at);
            inStep -= at < inStep ? 1 : 0;
        } else if (!waiting.remove(request)) {
            skipped.remove(request);
        }
    }

    /** Preempts a running request; it recomputes its tokens later. */
    void preempt(LiveRequest request, boolean isForced) {
        cache.show(request.blocks);
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
