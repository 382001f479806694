package dev.stagesim.sim.serving.policy;

import dev.stagesim.sim.serving.memory.RequestBlocks;
import dev.stagesim.sim.serving.request.RequestSpec;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** The scheduler's state of a request: its progress and its memory. */
public final class LiveRequest implements KvRequest {
    /** The state of a request. */
    public enum Status {
        WAITING,
        WAITING_FOR_GRAMMAR,
        WAITING_FOR_REMOTE_KVS,
        WAITING_FOR_STREAM,
        RUNNING,
        PREEMPTED,
        STOPPED,
        LENGTH,
        ABORTED,
        ERROR;

        boolean isFinished() {
            return ordinal() >= STOPPED.ordinal();
        }
    }

    /** The next turn of a session, and whether more turns follow. */
    private record Turn(RequestSpec spec, boolean isResumable) {}

    final RequestBlocks blocks;
    private @Nullable Deque<Turn> turns;
    RequestSpec spec;
    boolean hasMedia;
    /** Minimum output length for an end by a condition other than the maximum length. */
    private int stopsFrom;
    /** Whether it keeps its blocks at the end of its output, because another turn follows. */
    boolean isResumable;
    /** Whether an earlier turn computed its tokens, without a cache lookup. */
    boolean isContinued;

    Status status;
    int prompt;
    int output;
    int computed;
    int drafts;
    int placeholders;
    int inFlight;
    int stale;
    boolean dropsStale;
    boolean isChunk;
    int preemptions;
    long nextDecodeStep;
    /** Last step that sampled a token of the request; maintained if steps are planned before earlier results. */
    long sampledAt;

    /** Whether it was passed over, or waits for a condition other than memory. */
    boolean isDeferred;

    final boolean needsGrammar;
    boolean isReady;
    boolean hasFailedLoad;
    int maxOutput;
    /** Last step with an individual decode of the request. */
    long decodedAt = Integer.MIN_VALUE;

    /**
     * Whether {@link LockstepDecoder} plans it. The fields below are then valid, and the progress above is updated only when it
     * leaves.
     */
    boolean isInLockstep;

    long joined;
    long last;
    long offset;
    long place;
    long due;

    LiveRequest(RequestSpec spec, RequestBlocks blocks, boolean needsGrammar) {
        this.blocks = blocks;
        this.needsGrammar = needsGrammar;
        this.status = needsGrammar ? Status.WAITING_FOR_GRAMMAR : Status.WAITING;
        take(spec);
    }

    private void take(RequestSpec newSpec) {
        spec = newSpec;
        hasMedia = !newSpec.identity().media().isEmpty();
        RequestSpec.Output rules = newSpec.output();
        int end = rules.endAt() < 0 ? Integer.MAX_VALUE : rules.endAt() + 1;
        int stop = rules.stopAt() < 0 ? Integer.MAX_VALUE : rules.stopAt() + 1;
        stopsFrom = Math.min(end, stop);
        prompt = newSpec.promptTokens();
        maxOutput = rules.maxTokens();
        output = 0;
    }

    /** Adds the next turn of its session. */
    void follow(RequestSpec next, boolean resumable) {
        if (turns == null) {
            turns = new ArrayDeque<>();
        }
        turns.addLast(new Turn(next, resumable));
    }

    /**
     * Continues with the next turn of its session. The prompt of that turn starts with the computed tokens. Returns false if
     * there is none yet.
     */
    boolean resume() {
        Turn next = turns == null ? null : turns.pollFirst();
        if (next == null) {
            return false;
        }
        take(next.spec());
        isResumable = next.isResumable();
        isContinued = computed > 0;
        status = Status.WAITING;
        return true;
    }

    /** Ends an output that another turn follows. The last token has no KV entry yet and becomes part of the next prompt. */
    void endTurn() {
        computed = Math.max(0, Math.min(computed, known() - 1));
        drafts = 0;
        placeholders = 0;
        stale = inFlight;
        dropsStale = true;
        status = Status.WAITING_FOR_STREAM;
    }

    /** Returns true if it waits for a condition other than memory. */
    boolean isBlocked() {
        return switch (status) {
            case WAITING_FOR_GRAMMAR, WAITING_FOR_REMOTE_KVS, WAITING_FOR_STREAM -> true;
            default -> false;
        };
    }

    /** Returns true if it has blocks although it does not run. */
    boolean holdsBlocks() {
        return computed > 0 || status == Status.WAITING_FOR_REMOTE_KVS;
    }

    /** Returns true if its turn has ended while it was in a step. */
    boolean isBetweenTurns() {
        return status == Status.WAITING_FOR_STREAM || status == Status.WAITING;
    }

    /** Returns true if its prompt was looked up in the cache at admission. */
    public boolean isLookedUp() {
        return !isContinued;
    }

    public RequestSpec spec() {
        return spec;
    }

    @Override
    public int number() {
        return spec.index();
    }

    public RequestBlocks blocks() {
        return blocks;
    }

    public Status status() {
        return status;
    }

    /** Returns the tokens of prompt and accepted output. */
    public int known() {
        return prompt + output;
    }

    /** Returns the accepted output tokens. */
    public int output() {
        return output;
    }

    /** Returns the tokens that have KV entries after all planned steps. */
    public int computed() {
        return computed;
    }

    /** Returns the tokens of steps that have not ended. */
    public int inFlight() {
        return inFlight;
    }

    public int preemptions() {
        return preemptions;
    }

    /** Returns true if only its length can end it. */
    boolean endsByLength() {
        return stopsFrom == Integer.MAX_VALUE && spec.output().minTokens() == 0;
    }

    /** Returns the tokens that a step must compute before the request can proceed. */
    int need() {
        return known() + drafts + placeholders - computed;
    }

    /** Returns true if existing tokens remain to be computed after the planned steps. */
    boolean hasPromptLeft() {
        return computed < known() + placeholders;
    }

    /** Returns the status after the last output token, which depends on its position. */
    Status statusAfterToken(int maxModelLen, boolean stopsBeforeMinimum) {
        if (output < stopsFrom && output < maxOutput && known() < maxModelLen) {
            return status;
        }
        RequestSpec.Output rules = spec.output();
        if (!stopsBeforeMinimum && output < rules.minTokens()) {
            return status;
        }
        if (output - 1 == rules.endAt() || output - 1 == rules.stopAt()) {
            return Status.STOPPED;
        }
        return known() >= maxModelLen || output >= maxOutput ? Status.LENGTH : status;
    }
}
