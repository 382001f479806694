package dev.stagesim.sim.serving.policy;

import dev.stagesim.sim.core.IntList;
import dev.stagesim.sim.serving.memory.KvGroup;
import dev.stagesim.sim.serving.memory.KvLayout;
import dev.stagesim.sim.serving.memory.PagedBlocks;
import dev.stagesim.sim.serving.request.RequestSpec;
import java.util.List;

/**
 * Steps in which every running request decodes one token and nothing else happens: nobody is admitted, ends or is preempted.
 *
 * <p>How many such steps follow is known beforehand, and so is who fills or needs a block in which of them. A step then
 * costs a look at these alone; what the others did is added up when the steps are over. The cache is asked in the order in
 * which it would be asked step by step, so that blocks, evictions and later hits are the same.
 */
public final class QuietSteps {
    /** Fewer steps are not worth looking for. */
    private static final int LEAST = 3;

    private final EngineState state;
    private final VllmSettings settings;
    private final PagedBlocks cache;
    private final int block;
    private final boolean isPossible;
    private final IntList[] updates;
    private final IntList[] plans;
    private int left;
    private int done;

    QuietSteps(EngineState state) {
        this.state = state;
        settings = state.settings;
        cache = state.cache;
        KvLayout layout = cache.layout();
        KvGroup first = layout.groups().get(0);
        block = first.blockSize();
        isPossible = layout.groups().size() == 1
                && first.kind() == KvGroup.Kind.FULL
                && settings.speculation().tokens() == 0
                && settings.pipelineStages() == 1;
        updates = lists(block);
        plans = lists(block);
    }

    private static IntList[] lists(int count) {
        IntList[] lists = new IntList[count];
        for (int i = 0; i < count; i++) {
            lists[i] = new IntList();
        }
        return lists;
    }

    /** Steps that are left. */
    public int left() {
        return left;
    }

    /** Looks how many such steps follow, given the plans in flight; 0 when the next one is different. */
    int begin(Iterable<StepPlan> inFlight) {
        left = 0;
        done = 0;
        if (!isPossible || !isStill()) {
            return 0;
        }
        int steps = block;
        for (LiveRequest request : state.running) {
            steps = Math.min(steps, horizon(request));
            if (steps < LEAST) {
                return 0;
            }
        }
        if (areDecodes(inFlight) && find(steps) <= cache.free()) {
            left = steps;
        }
        return left;
    }

    /** Whether nobody is admitted, and everybody has a place in a step. */
    private boolean isStill() {
        int size = state.running.size();
        boolean admitsNobody = (state.waiting.isEmpty() && state.skipped.isEmpty()) || size >= settings.maxNumSeqs();
        return size > 0
                && admitsNobody
                && state.finished.isEmpty()
                && state.pause == EngineState.Pause.NONE
                && size <= Math.min(settings.maxNumScheduledTokens(), settings.maxNumBatchedTokens());
    }

    /** Whether as many steps are in flight as can be, each with a token of every running request. */
    private boolean areDecodes(Iterable<StepPlan> inFlight) {
        List<LiveRequest> running = state.running;
        int size = running.size();
        int steps = 0;
        for (StepPlan plan : inFlight) {
            steps++;
            if (plan.size() != size || plan.total() != size) {
                return false;
            }
            for (int i = 0; i < size; i++) {
                if (plan.request(i) != running.get(i) || !plan.samples(i)) {
                    return false;
                }
            }
        }
        return steps == settings.batchesInFlight();
    }

    /** Steps for which a request decodes and does not end. */
    private int horizon(LiveRequest request) {
        RequestSpec.Output rules = request.spec.output();
        int ahead = settings.asyncScheduling() ? 1 : 0;
        boolean isPlain = rules.endAt() < 0
                && rules.stopAt() < 0
                && request.output > 0
                && request.stale == 0
                && !request.isChunk
                && !request.hasMedia
                && request.known() + request.placeholders - request.computed == ahead;
        if (!isPlain) {
            return 0;
        }
        int most = settings.maxModelLen();
        int untilEnd = Math.min(request.maxOutput - request.output, most - request.known()) - 1;
        int untilTail = request.placeholders > 1
                ? request.prompt + request.maxOutput - request.computed - 3 + request.placeholders
                : Integer.MAX_VALUE;
        return Math.min(Math.min(untilEnd, untilTail), most - 1 - request.computed);
    }

    /** Notes who has to do with the cache in which step; returns how many blocks are taken. */
    private int find(int steps) {
        for (int i = 0; i < block; i++) {
            updates[i].clear();
            plans[i].clear();
        }
        int taken = 0;
        for (int i = 0; i < state.running.size(); i++) {
            LiveRequest request = state.running.get(i);
            int take = cache.room(request.holding) - request.computed;
            int next = cache.nextOffer(request.holding);
            int offer = next - Math.min(request.computed, request.known()) - 1;
            if (take < 0 || offer < 0) {
                return Integer.MAX_VALUE;
            }
            taken += take < steps ? 1 : 0;
            note(plans, i, take, steps);
            if (offer != take) {
                note(plans, i, offer, steps);
            }
            if (settings.asyncScheduling()) {
                note(updates, i, Math.max(0, next - (request.computed - request.placeholders + 1)), steps);
            }
        }
        return taken;
    }

    private static void note(IntList[] lists, int request, int step, int steps) {
        if (step < steps) {
            lists[step].add(request);
        }
    }

    /** The result of a step is processed. */
    public void update() {
        IntList due = updates[done];
        for (int i = 0; i < due.size(); i++) {
            LiveRequest request = state.running.get(due.get(i));
            cache.offer(request.holding, request.computed + done - (request.placeholders - 1));
        }
    }

    /** The next step is planned. */
    public void plan() {
        cache.beginStep();
        IntList due = plans[done];
        for (int i = 0; i < due.size(); i++) {
            LiveRequest request = state.running.get(due.get(i));
            boolean isGiven = cache.grow(
                    request.holding,
                    state.growth.running(request.computed + done, 1, 0, request.known() + done + 1, request.inFlight));
            if (!isGiven) {
                throw new IllegalStateException("a block was counted on that is not there");
            }
        }
        done++;
        left--;
    }

    /** Adds up what the steps did. */
    public void settle() {
        if (done > 0) {
            for (LiveRequest request : state.running) {
                request.computed += done;
                request.output += done;
                request.nextDecodeStep += settings.asyncScheduling() ? done : 0;
            }
            state.step += done;
        }
        left = 0;
        done = 0;
    }
}
