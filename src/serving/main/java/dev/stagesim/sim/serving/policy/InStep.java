package dev.stagesim.sim.serving.policy;

import dev.stagesim.sim.serving.memory.PagedBlocks;
import dev.stagesim.sim.serving.policy.LiveRequest.Status;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;

/**
 * Leading running requests that decode in step: each takes one token of every step until its last, whoever else comes or goes.
 * Where a request waits for its result before its next step, as with pipeline stages, it takes one of every so many steps, and
 * those that take the same ones are a lane.
 *
 * <p>A member's last step is known beforehand, and so is the next step in which it takes, drops or offers a block. A step costs
 * a look at the members that do; what the others did follows from the number of steps. The cache is asked in the order in
 * which it would be asked request by request, so that blocks, evictions and later hits are the same. A member that leaves
 * is put into the plan of its last step as if it had been planned there by itself.
 *
 * <p><b>Caveat:</b> all are planned one by one where blocks may run out, or a pause is on; where drafts are verified, as the
 * tokens of each request in each step are known from a draw alone; and where steps of a request are planned although one in flight
 * may be its last (three stages or more, asynchronous, the first model runner).
 */
public final class InStep {
    private static final Comparator<LiveRequest> BY_PLACE = Comparator.comparingLong(request -> request.place);

    /** Members that take the same steps. The number of a step, divided by their distance, is its turn. */
    private static final class Lane {
        final List<List<LiveRequest>> due = new ArrayList<>();
        LiveRequest[] members = new LiveRequest[16];
        int[] ids = new int[16];
        long[] lasts = new long[16];
        int size;
        /** Sum of what to add to the number of a turn for the members' tokens computed before it. */
        long offsets;

        long nextLast = Long.MAX_VALUE;

        Lane(int ring) {
            for (int i = 0; i < ring; i++) {
                due.add(new ArrayList<>());
            }
        }

        void add(LiveRequest request, int number) {
            if (size == ids.length) {
                ids = Arrays.copyOf(ids, size * 2);
                lasts = Arrays.copyOf(lasts, size * 2);
                members = Arrays.copyOf(members, size * 2);
            }
            members[size] = request;
            lasts[size] = request.last;
            ids[size++] = number;
            offsets += request.offset;
            nextLast = Math.min(nextLast, request.last);
        }

        List<LiveRequest> due(long turn) {
            return due.get((int) (turn % due.size()));
        }

        /** Notes the turn in which a member has to go to the cache. */
        void ask(LiveRequest request, long turn) {
            request.due = turn;
            due(turn).add(request);
        }
    }

    private final EngineState state;
    private final PagedBlocks cache;
    private final Deque<StepPlan> inFlight;
    private final boolean isPossible;
    private final boolean isAsync;
    private final int groups;
    private final int block;
    /** Steps that are in flight when another one is planned. */
    private final int ahead;
    /** Steps from one of a request to its next. */
    private final int apart;

    private final int most;
    private final Lane[] lanes;
    /** The step that members were planned in last. */
    private long planned;

    private long places;
    /** Times that members have come or gone. */
    private long changes;

    InStep(EngineState state, Deque<StepPlan> inFlight) {
        this.state = state;
        this.inFlight = inFlight;
        cache = state.cache;
        VllmSettings settings = state.settings;
        groups = cache.layout().groups().size();
        block = cache.layout().smallestBlock();
        isAsync = settings.asyncScheduling();
        ahead = settings.batchesInFlight() - 1;
        apart = settings.stepsApart();
        most = Math.min(settings.maxNumScheduledTokens(), settings.maxNumBatchedTokens());
        isPossible = settings.speculation().tokens() == 0 && ahead / apart <= 1;
        lanes = new Lane[apart];
        Arrays.setAll(lanes, i -> new Lane(block + 1));
    }

    private Lane lane(long step) {
        return lanes[(int) (step % apart)];
    }

    /** Numbers of the requests in the step planned last, in their order; valid up to the plan's number of them. */
    public int[] ids() {
        return lane(planned).ids;
    }

    /** Tokens that the members' decodes of the step planned last attend to. */
    public long kvTokens() {
        Lane lane = lane(planned);
        return lane.offsets + lane.size * (planned / apart + 1);
    }

    /** Plans a token for each member whose turn it is, old and new. */
    void plan(StepPlan plan, StepBudget budget) {
        if (!isPossible || state.pause != EngineState.Pause.NONE || inFlight.size() != ahead) {
            settle();
            return;
        }
        planned = state.step - 1;
        leave(state.step);
        join();
        Lane lane = lane(state.step);
        if (!grow(lane)) {
            settle();
            return;
        }
        planned = state.step;
        plan.inStep(lane.size, changes);
        budget.tokens -= lane.size;
        budget.inputs -= lane.size;
    }

    /** Steps that can be planned with all that run and those alone, who are in all steps in flight and no others. */
    public long steady() {
        Lane lane = lanes[0];
        boolean isSteady = isPossible
                && apart == 1
                && lane.size > 0
                && lane.size == state.inStep
                && lane.size == state.running.size()
                && planned == state.step
                && inFlight.size() == ahead + 1
                && state.isUndisturbed()
                && cache.isPlain();
        if (isSteady) {
            for (StepPlan plan : inFlight) {
                isSteady &= plan.isSteady(changes);
            }
        }
        return isSteady ? lane.nextLast - state.step : 0;
    }

    /** Plans the next of {@link #steady} steps; false, and nothing planned, where blocks may run out. */
    public boolean advance() {
        state.step++;
        cache.beginStep();
        if (!grow(lanes[0])) {
            state.step--;
            return false;
        }
        planned = state.step;
        state.noteWork();
        return true;
    }

    /** Asks the cache for the members that have to; false, and nothing asked, where blocks may run out. */
    private boolean grow(Lane lane) {
        long turn = state.step / apart;
        List<LiveRequest> now = lane.due(turn);
        long spare = cache.free() - reserve(lane);
        boolean isSorted = true;
        long before = -1;
        for (LiveRequest request : now) {
            spare -= cache.mayTake(request.holding, (int) (request.offset + turn));
            isSorted &= request.place > before;
            before = request.place;
        }
        if (spare < 0) {
            return false;
        }
        if (!isSorted) {
            now.sort(BY_PLACE);
        }
        cache.noMatch();
        int own = ahead / apart;
        for (LiveRequest request : now) {
            int computed = (int) (request.offset + turn);
            if (!grow(request, computed, own)) {
                throw new IllegalStateException("a block was counted on that is not there");
            }
            long next = cache.nextAsk(request.holding, own) - request.offset;
            lane.ask(request, Math.max(turn + 1, Math.min(next, turn + block)));
        }
        now.clear();
        return true;
    }

    private boolean grow(LiveRequest request, int computed, int own) {
        int known = computed + 1 - own;
        return cache.isPlain()
                ? cache.growByOne(request.holding, computed, known)
                : cache.grow(request.holding, state.growth.running(computed, 1, 0, known, own));
    }

    /** Blocks that others may need in the step where a member may have to go for them. */
    private long reserve(Lane lane) {
        int tokens = state.settings.maxNumScheduledTokens();
        int others = state.running.size() - state.inStep;
        return state.settings.byPriority() ? groups * ((long) (tokens - lane.size) / block + 2L * others) : 0;
    }

    private void join() {
        List<LiveRequest> running = state.running;
        while (state.inStep < running.size()) {
            LiveRequest request = running.get(state.inStep);
            int left = left(request);
            boolean isAwaited = isAsync ? request.placeholders > 0 : request.inFlight > 0 && request.need() == 0;
            if (!isAwaited || left > 1 || !request.endsByLength()) {
                long step = request.decodedAt + apart;
                if (step < state.step || lane(step).size >= most || !isInStep(request)) {
                    return;
                }
                add(request, step, left - request.inFlight);
            }
            state.inStep++;
        }
    }

    /** Output tokens that a request still gets. */
    private int left(LiveRequest request) {
        return Math.min(request.maxOutput - request.output, state.settings.maxModelLen() - request.known());
    }

    private boolean isInStep(LiveRequest request) {
        long steps = Math.floorDiv(request.decodedAt - state.step + ahead, apart) + 1L;
        return request.endsByLength()
                && request.status == Status.RUNNING
                && request.output > 0
                && request.stale == 0
                && !request.hasMedia
                && request.placeholders == (isAsync ? steps : 0)
                && request.inFlight == steps
                && request.known() + steps - request.computed == 1;
    }

    private void add(LiveRequest request, long step, int count) {
        request.isInStep = true;
        request.place = places++;
        request.joined = step;
        request.last = step + (count - 1L) * apart;
        request.offset = request.computed - step / apart;
        changes++;
        lane(step).add(request, request.spec.index());
        lane(step).ask(request, step / apart);
    }

    /** Lets members go whose last step is before {@code step}, which their next one would be, or which comes after it. */
    void leave(long step) {
        for (Lane lane : lanes) {
            if (lane.nextLast < step) {
                leave(lane, step);
            }
        }
    }

    private void leave(Lane lane, long step) {
        lane.nextLast = Long.MAX_VALUE;
        changes++;
        int kept = 0;
        for (int i = 0; i < lane.size; i++) {
            if (lane.lasts[i] < step) {
                giveBack(lane.members[i]);
            } else {
                lane.nextLast = Math.min(lane.nextLast, lane.lasts[i]);
                if (kept < i) {
                    lane.ids[kept] = lane.ids[i];
                    lane.lasts[kept] = lane.lasts[i];
                    lane.members[kept] = lane.members[i];
                }
                kept++;
            }
        }
        lane.size = kept;
    }

    private void giveBack(LiveRequest request) {
        leave(request, request.last);
        for (StepPlan plan : inFlight) {
            giveBack(request, plan);
        }
    }

    /** Puts a request into the plan of a step if it was in step then. */
    private void giveBack(LiveRequest request, StepPlan plan) {
        long since = plan.step() - request.joined;
        if (since >= 0 && plan.step() <= request.last && since % apart == 0) {
            plan.giveBack(request, (int) (request.offset + plan.step() / apart));
        }
    }

    /** Brings a request up to date, {@code step} being its last one that was planned. */
    private void leave(LiveRequest request, long step) {
        Lane lane = lane(request.joined);
        lane.due(request.due).remove(request);
        lane.offsets -= request.offset;
        int steps = 0;
        for (StepPlan plan : inFlight) {
            steps += plan.step() <= step && (step - plan.step()) % apart == 0 ? 1 : 0;
        }
        request.isInStep = false;
        request.computed = (int) (request.offset + Math.floorDiv(step, apart) + 1);
        request.output = request.computed + 1 - steps - request.prompt;
        request.placeholders = isAsync ? steps : 0;
        request.inFlight = steps;
        request.sampledAt = step;
        if (isAsync && state.settings.modelRunner() == 2) {
            request.nextDecodeStep = step + apart;
        }
    }

    /** Lets all go, and puts them into the plans of the steps in flight. */
    void settle() {
        if (state.inStep == 0) {
            return;
        }
        changes++;
        for (Lane lane : lanes) {
            for (int i = 0; i < lane.size; i++) {
                LiveRequest member = lane.members[i];
                leave(member, planned - Math.floorMod(planned - member.joined, apart));
            }
            lane.size = 0;
            lane.nextLast = Long.MAX_VALUE;
        }
        List<LiveRequest> all = state.running.subList(0, state.inStep);
        for (StepPlan plan : inFlight) {
            plan.dropGivenBack();
            for (LiveRequest request : all) {
                if (request.joined > 0) {
                    giveBack(request, plan);
                }
            }
            plan.settled();
        }
        for (LiveRequest request : all) {
            request.joined = 0;
        }
        state.inStep = 0;
    }
}
