package dev.stagesim.sim.serving.policy;

import dev.stagesim.sim.core.IntList;
import dev.stagesim.sim.serving.memory.BlockAllocation;
import dev.stagesim.sim.serving.memory.PagedBlocks;
import dev.stagesim.sim.serving.memory.VllmRules;
import dev.stagesim.sim.serving.request.RequestSpec;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
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
    /** Skipped requests or, depending on {@link VllmRules}, waiting requests that have blocks. */
    final RequestQueue skipped;
    /** Requests with blocks whose prompts are loaded or computed in parts; maintained with a connector. */
    final Set<LiveRequest> prefills = new LinkedHashSet<>();

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
    private int deferred;

    EngineState(VllmSettings settings, PagedBlocks cache, Drafting drafting, @Nullable KvConnector connector) {
        this.settings = settings;
        this.cache = cache;
        this.drafting = drafting;
        this.connector = connector;
        waiting = new RequestQueue(settings.byPriority());
        skipped = new RequestQueue(settings.byPriority());
        encoders = new EncoderCache(settings.tokens().encoder());
        isFenced = connector != null && connector.isConsumer() && settings.batchesInFlight() > 1;
    }

    /**
     * Returns the number of requests that wait for more input of their session; they count as running for admission.
     */
    int streaming() {
        if (skipped.isEmpty()) {
            return 0;
        }
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
            case NEW -> running.size() + (settings.rules().hasHolderQueue() ? skipped.size() - streaming() : 0);
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

    /** Returns true if no step in flight may still write to the blocks of a request. */
    boolean isFreeable(LiveRequest request) {
        return !isFenced || request.inFlight == 0;
    }

    /** Frees the blocks of a request, or schedules this until the steps that may write to them are processed. */
    void free(LiveRequest request) {
        encoders.release(request);
        if (!isFreeable(request)) {
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
        }
        enqueue(request);
    }

    /** Adds a request that waits. */
    void enqueue(LiveRequest request) {
        boolean isBlocked = request.isBlocked();
        if (isBlocked) {
            defer(request);
        }
        boolean isAside = settings.rules().hasHolderQueue() ? request.holdsBlocks() : isBlocked;
        (isAside ? skipped : waiting).add(request);
    }

    /** Notes that a waiting request was passed over or waits for a condition other than memory. */
    void defer(LiveRequest request) {
        deferred += request.isDeferred ? 0 : 1;
        request.isDeferred = true;
    }

    /** Notes that a request does not wait any more. */
    void undefer(LiveRequest request) {
        deferred -= request.isDeferred ? 1 : 0;
        request.isDeferred = false;
    }

    /** Returns true if no request waits for memory or budget alone. */
    boolean isDrained() {
        return settings.rules().hasHolderQueue() ? waiting.size() + skipped.size() == deferred : waiting.isEmpty();
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
        undefer(request);
        prefills.remove(request);
    }

    /** Preempts a running request; it recomputes its tokens later. */
    void preempt(LiveRequest request, boolean isForced) {
        cache.show(request.blocks);
        free(request);
        prefills.remove(request);
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
