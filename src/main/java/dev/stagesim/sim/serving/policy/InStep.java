package dev.stagesim.sim.serving.policy;

import dev.stagesim.sim.serving.memory.KvGroup;
import dev.stagesim.sim.serving.memory.PagedBlocks;
import dev.stagesim.sim.serving.policy.LiveRequest.Status;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/**
 * Leading running requests that decode in step: each takes one token of every step until its last, whoever else comes or goes.
 *
 * <p>A member's last step is known beforehand, and so are the steps in which it fills or needs a block, one in {@code block}. A
 * step costs a look at those alone; what the others did follows from the number of steps. The cache is asked in the order in
 * which it would be asked request by request, so that blocks, evictions and later hits are the same. A member that leaves
 * is put into the plan of its last step as if it had been planned there by itself.
 *
 * <p><b>Caveat:</b> where blocks may run out, drafts are verified, a pause is on, or there are several stages or groups of blocks,
 * all are planned one by one.
 */
public final class InStep {
    private final EngineState state;
    private final PagedBlocks cache;
    private final Deque<StepPlan> inFlight;
    private final int block;
    private final boolean isPossible;
    /** Steps that are in flight when another one is planned. */
    private final int ahead;

    private final int most;
    private final List<List<LiveRequest>> due = new ArrayList<>();
    private LiveRequest[] members = new LiveRequest[16];
    private int[] ids = new int[16];
    private long[] lasts = new long[16];
    private int size;
    /** Sum of what to add to the number of a step for the members' tokens computed before it. */
    private long offsets;

    private long nextLast = Long.MAX_VALUE;
    /** The step that the members were planned in last. */
    private long planned;

    InStep(EngineState state, Deque<StepPlan> inFlight) {
        this.state = state;
        this.inFlight = inFlight;
        cache = state.cache;
        VllmSettings settings = state.settings;
        KvGroup first = cache.layout().groups().get(0);
        block = first.blockSize();
        ahead = settings.asyncScheduling() ? 1 : 0;
        most = Math.min(settings.maxNumScheduledTokens(), settings.maxNumBatchedTokens());
        isPossible = cache.layout().groups().size() == 1
                && first.kind() == KvGroup.Kind.FULL
                && settings.speculation().tokens() == 0
                && settings.pipelineStages() == 1;
        for (int i = 0; i < block; i++) {
            due.add(new ArrayList<>());
        }
    }

    /** Numbers of the requests, in their order; valid up to {@link #size}. */
    public int[] ids() {
        return ids;
    }

    public int size() {
        return size;
    }

    /** Tokens that the members' decodes of the step planned last attend to. */
    public long kvTokens() {
        return offsets + size * (state.step + 1);
    }

    /** Plans a token for each member, old and new. */
    void plan(StepPlan plan, StepBudget budget) {
        if (!isPossible || budget.defers || state.pause != EngineState.Pause.NONE || inFlight.size() != ahead) {
            settle();
            return;
        }
        planned = state.step - 1;
        leave(state.step);
        join();
        List<LiveRequest> now = due.get((int) (state.step % block));
        int blocks = 0;
        for (LiveRequest request : now) {
            blocks += cache.room(request.holding) <= request.offset + state.step ? 1 : 0;
        }
        if (blocks + reserve(budget) > cache.free()) {
            settle();
            return;
        }
        cache.noMatch();
        for (LiveRequest request : now) {
            int computed = (int) (request.offset + state.step);
            if (!cache.grow(request.holding, state.growth.running(computed, 1, 0, computed + 1 - ahead, ahead))) {
                throw new IllegalStateException("a block was counted on that is not there");
            }
        }
        planned = state.step;
        plan.inStep(size);
        budget.tokens -= size;
        budget.inputs -= size;
    }

    /** Blocks that others may need in the step where a member may have to go for them. */
    private long reserve(StepBudget budget) {
        int others = state.running.size() - size;
        return state.settings.byPriority() ? (long) budget.tokens / block + 2L * others : 0;
    }

    private void join() {
        List<LiveRequest> running = state.running;
        while (state.inStep < running.size() && size < most) {
            LiveRequest request = running.get(state.inStep);
            long last = state.step + left(request) - 1 - ahead;
            boolean endsInFlight = request.placeholders > 0 && last < state.step && request.endsByLength();
            if (!endsInFlight) {
                if (last < state.step || !isInStep(request)) {
                    return;
                }
                add(request, last);
            }
            state.inStep++;
        }
    }

    /** Output tokens that a request still gets. */
    private int left(LiveRequest request) {
        return Math.min(request.maxOutput - request.output, state.settings.maxModelLen() - request.known());
    }

    private boolean isInStep(LiveRequest request) {
        return request.decodedAt == state.step - 1
                && request.endsByLength()
                && request.status == Status.RUNNING
                && request.output > 0
                && request.stale == 0
                && !request.hasMedia
                && request.placeholders == ahead
                && request.inFlight == ahead
                && request.known() + ahead - request.computed == 1
                && cache.room(request.holding) >= request.computed
                && cache.nextOffer(request.holding) >= request.computed + 1 - ahead;
    }

    private void add(LiveRequest request, long last) {
        if (size == ids.length) {
            ids = Arrays.copyOf(ids, size * 2);
            lasts = Arrays.copyOf(lasts, size * 2);
            members = Arrays.copyOf(members, size * 2);
        }
        members[size] = request;
        lasts[size] = last;
        ids[size++] = request.spec.index();
        request.isInStep = true;
        request.joined = state.step;
        request.last = last;
        request.offset = request.computed - state.step;
        offsets += request.offset;
        nextLast = Math.min(nextLast, last);
        request.take = (int) ((cache.room(request.holding) - request.offset) % block);
        due.get(request.take).add(request);
        request.offer = request.take;
        if (cache.layout().caches()) {
            request.offer = (int) ((cache.nextOffer(request.holding) - 1 + ahead - request.offset) % block);
            if (request.offer != request.take) {
                due.get(request.offer).add(request);
            }
        }
    }

    /** Lets members go whose last step is before {@code step} and the only one in flight. */
    void leave(long step) {
        if (nextLast >= step) {
            return;
        }
        nextLast = Long.MAX_VALUE;
        int kept = 0;
        for (int i = 0; i < size; i++) {
            if (lasts[i] < step) {
                leave(members[i], step - 1);
                inFlight.getLast().giveBack(members[i], (int) (members[i].offset + lasts[i]));
            } else {
                nextLast = Math.min(nextLast, lasts[i]);
                if (kept < i) {
                    ids[kept] = ids[i];
                    lasts[kept] = lasts[i];
                    members[kept] = members[i];
                }
                kept++;
            }
        }
        size = kept;
    }

    /** Brings a request up to date when {@code step} was planned last. */
    private void leave(LiveRequest request, long step) {
        due.get(request.take).remove(request);
        if (request.offer != request.take) {
            due.get(request.offer).remove(request);
        }
        offsets -= request.offset;
        int steps = inFlight.size();
        request.isInStep = false;
        request.computed = (int) (request.offset + step + 1);
        request.output = request.computed + 1 - steps - request.prompt;
        request.placeholders = ahead > 0 ? steps : 0;
        request.inFlight = steps;
        if (ahead > 0 && state.settings.modelRunner() == 2) {
            request.nextDecodeStep = step + 1;
        }
    }

    /** Lets all go, and puts them into the plans of the steps in flight. */
    void settle() {
        if (state.inStep == 0) {
            return;
        }
        for (int i = 0; i < size; i++) {
            leave(members[i], planned);
        }
        for (StepPlan plan : inFlight) {
            plan.dropGivenBack();
            for (int i = 0; i < state.inStep; i++) {
                LiveRequest request = state.running.get(i);
                if (request.joined > 0 && request.joined <= plan.step() && plan.step() <= request.last) {
                    plan.giveBack(request, (int) (request.offset + plan.step()));
                }
            }
            plan.settled();
        }
        for (int i = 0; i < state.inStep; i++) {
            state.running.get(i).joined = 0;
        }
        size = 0;
        state.inStep = 0;
        nextLast = Long.MAX_VALUE;
    }
}
