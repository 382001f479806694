package dev.stagesim.sim.serving.policy;

import dev.stagesim.sim.serving.memory.Holding;
import dev.stagesim.sim.serving.request.RequestSpec;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** A request that the scheduler knows: how far it is, and what it holds. */
public final class LiveRequest {
    /** Where a request stands. */
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

    /** What a session goes on with, and whether more follows. */
    private record Turn(RequestSpec spec, boolean isResumable) {}

    final Holding holding;
    private @Nullable Deque<Turn> turns;
    RequestSpec spec;
    boolean hasMedia;
    /** Length of the output from which on something else than its greatest length can end it. */
    private int stopsFrom;
    /** Whether it keeps its blocks when its output ends, as more of its prompt will come. */
    boolean isResumable;
    /** Whether what is computed comes from an earlier turn, and nothing was looked up. */
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

    boolean isReady;
    boolean hasFailedLoad;
    int maxOutput;
    /** Step in which it was last planned to decode by itself. */
    long decodedAt = Integer.MIN_VALUE;

    /** Whether {@link InStep} plans it, which then keeps the fields below, and those of its progress only when it leaves. */
    boolean isInStep;

    long joined;
    long last;
    long offset;
    long place;
    long due;

    LiveRequest(RequestSpec spec, Holding holding, boolean needsGrammar) {
        this.holding = holding;
        this.status = needsGrammar ? Status.WAITING_FOR_GRAMMAR : Status.WAITING;
        take(spec);
    }

    private void take(RequestSpec asked) {
        spec = asked;
        hasMedia = !asked.identity().media().isEmpty();
        RequestSpec.Output rules = asked.output();
        int end = rules.endAt() < 0 ? Integer.MAX_VALUE : rules.endAt() + 1;
        int stop = rules.stopAt() < 0 ? Integer.MAX_VALUE : rules.stopAt() + 1;
        stopsFrom = Math.min(end, stop);
        prompt = asked.promptTokens();
        maxOutput = rules.maxTokens();
        output = 0;
    }

    /** Notes what its session goes on with. */
    void follow(RequestSpec next, boolean resumable) {
        if (turns == null) {
            turns = new ArrayDeque<>();
        }
        turns.addLast(new Turn(next, resumable));
    }

    /** Goes on with the next turn of its session, whose prompt begins with what is computed; false when there is none yet. */
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

    /** Ends an output after which more will come: the last token, which nothing was computed from, counts as prompt then. */
    void endTurn() {
        computed = Math.max(0, Math.min(computed, known() - 1));
        drafts = 0;
        placeholders = 0;
        stale = inFlight;
        dropsStale = true;
        status = Status.WAITING_FOR_STREAM;
    }

    /** Whether it was in a step and runs no more, as its turn is over. */
    boolean isBetweenTurns() {
        return status == Status.WAITING_FOR_STREAM || status == Status.WAITING;
    }

    /** Whether its prompt was looked up in the cache when it was admitted. */
    public boolean isLookedUp() {
        return !isContinued;
    }

    public RequestSpec spec() {
        return spec;
    }

    public Holding holding() {
        return holding;
    }

    public Status status() {
        return status;
    }

    /** Tokens of prompt and accepted output. */
    public int known() {
        return prompt + output;
    }

    /** Accepted output tokens. */
    public int output() {
        return output;
    }

    /** Tokens whose keys and values are computed once every planned step is done. */
    public int computed() {
        return computed;
    }

    /** Tokens of steps that have not ended. */
    public int inFlight() {
        return inFlight;
    }

    public int preemptions() {
        return preemptions;
    }

    /** Whether nothing but its length ends it. */
    boolean endsByLength() {
        return stopsFrom == Integer.MAX_VALUE && spec.output().minTokens() == 0;
    }

    /** Tokens that a step would have to compute for the request to go on. */
    int need() {
        return known() + drafts + placeholders - computed;
    }

    /** Whether it goes on computing what is known after the steps that are planned. */
    boolean hasPromptLeft() {
        return computed < known() + placeholders;
    }

    /** What makes the last output token the final one, judged by its position. */
    Status statusAfterToken(int maxModelLen) {
        if (output < stopsFrom && output < maxOutput && known() < maxModelLen) {
            return status;
        }
        RequestSpec.Output rules = spec.output();
        if (output < rules.minTokens()) {
            return status;
        }
        if (output - 1 == rules.endAt() || output - 1 == rules.stopAt()) {
            return Status.STOPPED;
        }
        return known() >= maxModelLen || output >= maxOutput ? Status.LENGTH : status;
    }
}
