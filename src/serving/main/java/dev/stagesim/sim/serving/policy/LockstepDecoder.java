package dev.stagesim.sim.serving.policy;

import dev.stagesim.sim.serving.memory.PagedBlocks;
import dev.stagesim.sim.serving.policy.LiveRequest.Status;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;

/**
 * The leading running requests, which decode in lockstep: each takes one token of every step until its last step. If a
 * request has to wait for its result before its next step, as with pipeline stages, it takes one token of every n-th step.
 * The members with the same steps form a lane.
 *
 * <p>The last step of a member is fixed in advance, and so is the next step in which it allocates, drops or offers a block.
 * A step costs one operation for each of these members; the state of the others follows from the number of steps. The order
 * of the cache operations is that of individual planning, so that blocks, evictions and later hits are the same. A member
 * that leaves is added to the plan of its last step as an individual entry.
 *
 * <p><b>Caveat:</b> all requests are planned individually if blocks may run out or the engine is paused; with speculative
 * decoding, because the tokens of a step are random; and if steps are planned for a request with a step in flight that may
 * be its last (three or more stages, asynchronous, the first model runner).
 */
public final class LockstepDecoder {
    private static final Comparator<LiveRequest> BY_PLACE = Comparator.comparingLong(request -> request.place);

    /** Members with the same steps. The turn of a step is its number divided by their distance. */
    private static final class Lane {
        /** Members with a cache operation, by turn modulo the length, a power of two. */
        final List<List<LiveRequest>> due = new ArrayList<>();

        LiveRequest[] members = new LiveRequest[16];
        int[] ids = new int[16];
        long[] lasts = new long[16];
        int size;
        /** Sum over the members of the difference between their tokens computed before a turn and its number. */
        long offsets;

        long nextLast = Long.MAX_VALUE;

        Lane(int turns) {
            for (int i = 0; i < Integer.highestOneBit(turns) * 2; i++) {
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

        /** Moves the members from {@code from} to {@code until} - 1 to an earlier place. Returns the end of that place. */
        int move(int from, int until, int to) {
            int count = until - from;
            if (from != to) {
                System.arraycopy(ids, from, ids, to, count);
                System.arraycopy(lasts, from, lasts, to, count);
                System.arraycopy(members, from, members, to, count);
            }
            return to + count;
        }

        List<LiveRequest> due(long turn) {
            return due.get((int) turn & (due.size() - 1));
        }

        /** Schedules the next turn with a cache operation of a member. */
        void scheduleTurn(LiveRequest request, long turn) {
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
    /** Number of steps in flight when another one is planned. */
    private final int ahead;
    /** Distance between two steps of a request. */
    private final int distance;

    private final int maxTokens;
    private final Lane[] lanes;
    /** Last planned step. */
    private long planned;

    private long places;
    /** Number of joins and departures of members. */
    private long changes;

    LockstepDecoder(EngineState state, Deque<StepPlan> inFlight) {
        this.state = state;
        this.inFlight = inFlight;
        cache = state.cache;
        VllmSettings settings = state.settings;
        groups = cache.layout().groups().size();
        block = cache.layout().smallestBlock();
        isAsync = settings.asyncScheduling();
        ahead = settings.batchesInFlight() - 1;
        distance = settings.stepDistance();
        maxTokens = Math.min(settings.tokens().scheduled(), settings.tokens().batched());
        isPossible = settings.speculation().tokens() == 0 && ahead / distance <= 1;
        lanes = new Lane[distance];
        Arrays.setAll(lanes, i -> new Lane(block));
    }

    private Lane lane(long step) {
        return lanes[(int) (step % distance)];
    }

    /** Returns the requests in the last planned step, in order; valid up to the number of requests in its plan. */
    public int[] ids() {
        return lane(planned).ids;
    }

    /** Returns the tokens that the decodes of the members attend to in the last planned step. */
    public long kvTokens() {
        Lane lane = lane(planned);
        return lane.offsets + lane.size * (planned / distance + 1);
    }

    /** Plans a token for each member of the lane of this step, including new members. */
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

    /**
     * Returns the number of steps that can be planned with exactly the running requests, if all of them are in all steps in
     * flight.
     */
    public long steady() {
        Lane lane = lanes[0];
        boolean isSteady = isPossible
                && distance == 1
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

    /** Plans the next of {@link #steady} steps. Returns false without planning if blocks may run out. */
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

    /** Allocates the blocks of the members that need one. Returns false without any change if blocks may run out. */
    private boolean grow(Lane lane) {
        long turn = state.step / distance;
        List<LiveRequest> now = lane.due(turn);
        long spare = cache.free() - reserve(lane);
        boolean isSorted = true;
        long before = -1;
        for (int i = 0; i < now.size(); i++) {
            LiveRequest request = now.get(i);
            spare -= cache.maxBlocksTaken(request.blocks, (int) (request.offset + turn));
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
        int own = ahead / distance;
        for (int i = 0; i < now.size(); i++) {
            LiveRequest request = now.get(i);
            int computed = (int) (request.offset + turn);
            if (!grow(request, computed, own)) {
                throw new IllegalStateException("a reserved block is not available");
            }
            long next = cache.nextAllocation(request.blocks, own) - request.offset;
            lane.scheduleTurn(request, Math.max(turn + 1, Math.min(next, turn + block)));
        }
        now.clear();
        return true;
    }

    private boolean grow(LiveRequest request, int computed, int own) {
        int known = computed + 1 - own;
        return cache.isPlain()
                ? cache.growByOne(request.blocks, computed, known)
                : cache.grow(request.blocks, state.growth.running(computed, 1, 0, known, own));
    }

    /** Returns the blocks that other requests may need in the same step as a member. */
    private long reserve(Lane lane) {
        int tokens = state.settings.tokens().scheduled();
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
                long step = request.decodedAt + distance;
                if (step < state.step || lane(step).size >= maxTokens || !isInLockstep(request)) {
                    return;
                }
                add(request, step, left - request.inFlight);
            }
            state.inStep++;
        }
    }

    /** Returns the remaining output tokens of a request. */
    private int left(LiveRequest request) {
        return Math.min(request.maxOutput - request.output, cache.layout().maxModelLen() - request.known());
    }

    private boolean isInLockstep(LiveRequest request) {
        long steps = Math.floorDiv(request.decodedAt - state.step + ahead, distance) + 1L;
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
        request.isInLockstep = true;
        request.place = places++;
        request.joined = step;
        request.last = step + (count - 1L) * distance;
        request.offset = request.computed - step / distance;
        changes++;
        lane(step).add(request, request.spec.index());
        lane(step).scheduleTurn(request, step / distance);
    }

    /** Removes the members with a last step before {@code step}, or before their next one. */
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
        int from = 0;
        for (int i = 0; i < lane.size; i++) {
            if (lane.lasts[i] < step) {
                makeIndividual(lane.members[i]);
                kept = lane.move(from, i, kept);
                from = i + 1;
            } else {
                lane.nextLast = Math.min(lane.nextLast, lane.lasts[i]);
            }
        }
        lane.size = lane.move(from, lane.size, kept);
    }

    private void makeIndividual(LiveRequest request) {
        leave(request, request.last);
        for (StepPlan plan : inFlight) {
            makeIndividual(request, plan);
        }
    }

    /** Adds a request to the plan of a step if it was a member then. */
    private void makeIndividual(LiveRequest request, StepPlan plan) {
        long since = plan.step() - request.joined;
        if (since >= 0 && plan.step() <= request.last && since % distance == 0) {
            plan.makeIndividual(request, (int) (request.offset + plan.step() / distance));
        }
    }

    /** Updates the state of a request with {@code step} as its last planned step. */
    private void leave(LiveRequest request, long step) {
        Lane lane = lane(request.joined);
        lane.due(request.due).remove(request);
        lane.offsets -= request.offset;
        int steps = 0;
        for (StepPlan plan : inFlight) {
            steps += plan.step() <= step && (step - plan.step()) % distance == 0 ? 1 : 0;
        }
        request.isInLockstep = false;
        request.computed = (int) (request.offset + Math.floorDiv(step, distance) + 1);
        request.output = request.computed + 1 - steps - request.prompt;
        request.placeholders = isAsync ? steps : 0;
        request.inFlight = steps;
        request.sampledAt = step;
        if (isAsync && state.settings.modelRunner() == 2) {
            request.nextDecodeStep = step + distance;
        }
    }

    /** Removes all members and adds them to the plans of the steps in flight. */
    void settle() {
        if (state.inStep == 0) {
            return;
        }
        changes++;
        for (Lane lane : lanes) {
            for (int i = 0; i < lane.size; i++) {
                LiveRequest member = lane.members[i];
                leave(member, planned - Math.floorMod(planned - member.joined, distance));
            }
            lane.size = 0;
            lane.nextLast = Long.MAX_VALUE;
        }
        List<LiveRequest> all = state.running.subList(0, state.inStep);
        for (StepPlan plan : inFlight) {
            plan.dropMadeIndividual();
            for (LiveRequest request : all) {
                if (request.joined > 0) {
                    makeIndividual(request, plan);
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
