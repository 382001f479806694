package dev.stagesim.sim.serving.replica;

import dev.stagesim.sim.core.IntList;
import dev.stagesim.sim.serving.policy.LiveRequest;
import dev.stagesim.sim.serving.policy.LockstepDecoder;
import dev.stagesim.sim.serving.policy.SglangLockstep;
import dev.stagesim.sim.serving.policy.SglangRequest;
import dev.stagesim.sim.serving.policy.SglangStep;
import dev.stagesim.sim.serving.policy.StepPlan;
import dev.stagesim.sim.serving.policy.StepResult;
import dev.stagesim.sim.serving.request.RequestSpec;

/** Updates the request states when steps are planned and processed, and notifies the recorders. */
final class EngineAccounts implements StepResult.Listener {
    private final RequestStates states;
    private final RecorderSet recorders;
    private final ReplicaScheduler.Restarts restarts;
    private final IntList requests = new IntList();
    private final IntList tokens = new IntList();
    private int ended;
    private long lookups;
    private long hits;
    private long preemptions;
    private long drafts;
    private long outputs;
    private long sampled;
    private double gap = Double.NaN;
    private double since;
    private int gaps;

    EngineAccounts(RequestStates states, RecorderSet recorders, ReplicaScheduler.Restarts restarts) {
        this.states = states;
        this.recorders = recorders;
        this.restarts = restarts;
    }

    /** Returns the number of requests that ended in the last step. */
    int ended() {
        return ended;
    }

    EngineCounters figures(long adapterLoads) {
        return new EngineCounters(lookups, hits, preemptions, drafts, Math.max(0, outputs - sampled), adapterLoads);
    }

    /** Records the preempted and the admitted requests and their prefix-cache hits. */
    void planned(StepPlan plan, double now) {
        long lookupsBefore = lookups;
        long hitsBefore = hits;
        for (LiveRequest victim : plan.preempted()) {
            preempted(victim.spec().index(), now);
        }
        for (int i = 0; i < plan.hitRequests().size(); i++) {
            if (plan.hitRequests().get(i).preemptions() == 0) {
                hits += plan.hits().get(i);
            }
        }
        for (int i = 0; i < plan.size(); i++) {
            if (plan.entry(i) == StepPlan.Entry.NEW) {
                LiveRequest request = plan.request(i);
                admitted(request.spec().index(), request.isLookedUp() ? request.known() : 0, now);
            }
        }
        notifyCache(lookups - lookupsBefore, hits - hitsBefore, now);
    }

    private void notifyCache(long tokens, long found, double now) {
        for (ServingRecorder recorder : recorders.cache) {
            if (tokens > 0) {
                recorder.cacheLookup((int) tokens, (int) found, now);
            }
        }
    }

    /** Records the preempted and the admitted requests of a step of SGLang. */
    void planned(SglangStep step, double now) {
        long lookupsBefore = lookups;
        long hitsBefore = hits;
        for (SglangRequest victim : step.retracted) {
            preempted(victim.index(), now);
        }
        for (SglangRequest request : step.admitted) {
            hits += request.hit();
            admitted(request.index(), request.known(), now);
        }
        notifyCache(lookups - lookupsBefore, hits - hitsBefore, now);
    }

    private void preempted(int request, double now) {
        preemptions++;
        states.addRestart(request);
        restarts.restarted(request, now);
    }

    private void admitted(int request, int tokens, double now) {
        lookups += tokens;
        states.scheduledAt[request] = now;
        states.set(request, RequestStates.SCHEDULED);
    }

    /** Adds the requests of a step to a batch and sets the state that step times depend on. */
    void fill(Batch batch, StepPlan plan) {
        for (int i = 0; i < plan.size(); i++) {
            int count = plan.tokens(i);
            RequestSpec request = plan.request(i).spec();
            boolean isDecode = count - plan.drafts(i) == 1 && plan.computed(i) > 0;
            boolean isPrompt = !isDecode || plan.computed(i) < request.promptTokens();
            add(batch, request.index(), count, plan.computed(i), isDecode, isPrompt);
            drafts += plan.isPadded(i) ? 0 : plan.drafts(i);
        }
    }

    /** Adds requests that decode in lockstep, and already did so in the previous step, to an empty batch. */
    void fill(Batch batch, LockstepDecoder members, int count) {
        if (count > 0) {
            fill(batch, members.ids(), count, members.kvTokens());
        }
    }

    private void fill(Batch batch, int[] ids, int count, long kvTokens) {
        batch.addLockstep(ids, count, kvTokens);
        RequestProgress progress = states.progress;
        for (int i = 0; i < count; i++) {
            progress.processed[progress.at(ids[i])]++;
        }
    }

    /** Adds the requests of a step of SGLang to a batch. */
    void fill(Batch batch, SglangStep step) {
        SglangLockstep group = step.group();
        if (group != null && step.inStep() > 0) {
            fill(batch, group.ids(), step.inStep(), group.kvTokens());
        }
        for (SglangStep.Part part : step.parts) {
            add(batch, part.request().index(), part.tokens(), part.computed(), !part.isPrompt(), part.isPrompt());
        }
    }

    /**
     * Adds a request to a batch.
     *
     * @param isDecode whether attention processes its tokens like a decode, as vLLM does for a single token
     * @param isPrompt whether its tokens count as prompt tokens
     */
    private void add(Batch batch, int request, int count, int computed, boolean isDecode, boolean isPrompt) {
        if (isDecode) {
            if (isPrompt) {
                batch.addLastPrefill(request);
            } else {
                batch.addDecode(request, count);
            }
            states.set(request, RequestStates.PREFILL_DONE);
            // a decode also attends to its own token
            states.progress.processed[states.progress.at(request)] = computed + 1;
        } else {
            batch.addPrefill(request, count);
            states.flags[request] &= ~RequestStates.PREFILL_DONE;
            states.progress.processed[states.progress.at(request)] = computed;
        }
    }

    /** Counts {@code count} output tokens that are not the last ones of their requests. */
    void decoded(long count) {
        outputs += count;
        sampled += count;
    }

    /** Starts to collect the outputs of a step. */
    void begin() {
        ended = 0;
        requests.clear();
        tokens.clear();
    }

    @Override
    public void output(LiveRequest request, int count) {
        output(request.spec().index(), count, request.status() == LiveRequest.Status.LENGTH);
    }

    /** Records the tokens of a request and whether the request ended with them. */
    void output(int request, int count, boolean isLast) {
        requests.add(request);
        tokens.add(count);
        outputs += count;
        sampled++;
        if (isLast) {
            states.set(request, RequestStates.COMPLETED);
            ended++;
        }
    }

    /**
     * Reports the results of a step: its end, then the tokens of each request, with a completion immediately before the last
     * token. The first {@code inStep} requests of the batch decoded one token each in lockstep, and their outputs are the
     * first ones.
     */
    void report(Batch batch, int inStep, int lockstepOutputs, double now) {
        for (int i = 0; i < requests.size(); i++) {
            int request = requests.get(i);
            if (states.prefillCompletedAt[request] == 0) {
                states.prefillCompletedAt[request] = now;
            }
            if (states.completed(request)) {
                states.completedAt[request] = now;
            }
        }
        recorders.batchEnded(batch, now, states);
        reportLockstep(batch, inStep, now);
        decoded(inStep - lockstepOutputs);
        for (int i = lockstepOutputs; i < requests.size(); i++) {
            reportTokens(requests.get(i), tokens.get(i), now);
        }
        flush(now);
    }

    /** Reports the tokens of requests that all got their previous token at the end of the previous step. */
    private void reportLockstep(Batch batch, int count, double now) {
        if (recorders.tokens.length > 0 || count == 0) {
            for (int i = 0; i < count; i++) {
                reportTokens(batch.requests[i], 1, now);
            }
            return;
        }
        RequestProgress progress = states.progress;
        double[] lastEnd = progress.lastIterationEnd;
        int[] emitted = states.emitted;
        int[] members = batch.requests;
        double since = lastEnd[progress.at(members[0])];
        for (int i = 0; i < count; i++) {
            int request = members[i];
            if (ended > 0 && states.completed(request)) {
                recorders.completed(request, now, states);
            }
            emitted[request]++;
            lastEnd[progress.at(request)] = now;
        }
        note(now - since, since, now);
        gaps += count - 1;
    }

    /** Merges reports of equal gaps. Requests in lockstep have equal gaps. */
    private void note(double seconds, double from, double now) {
        if (seconds != gap || from != since) {
            flush(now);
            gap = seconds;
            since = from;
        }
        gaps++;
    }

    private void flush(double now) {
        if (gaps > 0) {
            recorders.gaps(gap, since, gaps, now);
        }
        gaps = 0;
        gap = Double.NaN;
    }

    /**
     * Reports the tokens of one step, which arrive together: the first one has the time since the previous step, the
     * following ones have zero.
     */
    private void reportTokens(int request, int count, double now) {
        double[] lastEnd = states.progress.lastIterationEnd;
        int at = states.progress.at(request);
        for (int i = 0; i < count; i++) {
            if (i == count - 1 && states.completed(request)) {
                recorders.completed(request, now, states);
            }
            int index = states.emitted[request]++;
            if (index == 0) {
                for (ServingRecorder recorder : recorders.tokens) {
                    recorder.prefillCompleted(states.prefill[request], now);
                }
            } else {
                double seconds = i == 0 ? now - lastEnd[at] : 0;
                for (ServingRecorder recorder : recorders.tokens) {
                    recorder.decodeLatency(seconds, now);
                }
                note(seconds, i == 0 ? lastEnd[at] : now, now);
            }
            for (ServingRecorder recorder : recorders.tokens) {
                recorder.tokenEmitted(request, index, now);
            }
        }
        lastEnd[at] = now;
    }
}
