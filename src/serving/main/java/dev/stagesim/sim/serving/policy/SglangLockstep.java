package dev.stagesim.sim.serving.policy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/**
 * The running requests of SGLang that decode in lockstep: each takes one token of every decode step until its last one.
 *
 * <p>Decode steps are numbered from 1. When a member joins, its last step is known. So are the steps in which it needs a
 * page, one in every {@code page} steps. Planning a step therefore takes one look-up: the number of members that need a
 * page. A request joins after an individual decode. It leaves before its last result and is added to that step as an
 * individual entry.
 */
public final class SglangLockstep {
    private final TokenPool pool;
    private final Deque<SglangStep> flights;

    /** By remainder of the step number modulo the page size: number of members that need a page in these steps. */
    private final int[] due;

    private SglangRequest[] members = new SglangRequest[16];
    private int[] ids = new int[16];
    private int size;

    /** Sum over the members: tokens computed before a step, minus the number of the step. */
    private long offsets;

    private long nextLast = Long.MAX_VALUE;
    private long planned;
    private long done;

    SglangLockstep(TokenPool pool, Deque<SglangStep> flights) {
        this.pool = pool;
        this.flights = flights;
        due = new int[pool.pageSize()];
    }

    /** Returns the requests in order; valid up to the number of requests in the step. */
    public int[] ids() {
        return ids;
    }

    /** Returns the tokens that the decodes of the members attend to in the last planned step. */
    public long kvTokens() {
        return offsets + size * (planned + 1);
    }

    /** Returns the number of the last step with a result. */
    long done() {
        return done;
    }

    /** Starts a decode step: removes the finished members and adds the requests of {@code alone} that may join. */
    void begin(List<SglangRequest> alone) {
        List<SglangRequest> kept = new ArrayList<>();
        for (SglangRequest request : alone) {
            long last = planned + request.maxOutput - request.output - request.inFlight;
            if (request.isDecoding && last > planned) {
                add(request, last);
            } else {
                kept.add(request);
            }
        }
        leave(planned, kept);
        alone.clear();
        alone.addAll(kept);
    }

    private void add(SglangRequest request, long last) {
        if (size == ids.length) {
            ids = Arrays.copyOf(ids, size * 2);
            members = Arrays.copyOf(members, size * 2);
        }
        members[size] = request;
        ids[size++] = request.index;
        request.group = this;
        request.joined = planned + 1;
        request.last = last;
        offsets += request.allocated - request.joined;
        due[rest(request)]++;
        nextLast = Math.min(nextLast, last);
    }

    /** Returns the remainder of the step numbers in which a request, updated when it joined, needs a page. */
    private int rest(SglangRequest request) {
        return Math.floorMod(request.joined - request.allocated, due.length);
    }

    /** Returns the pages that members need in the next step. */
    int pages() {
        return due[(int) ((planned + 1) % due.length)];
    }

    /** Plans a token for each member. */
    void plan(SglangStep step) {
        pool.hold(pages());
        planned++;
        step.inStep(this, planned, size);
    }

    /** Processes the result of a decode step. Members that finish with this step move to {@code alone}. */
    void process(SglangStep step, List<SglangRequest> alone) {
        leave(step.number(), alone);
        done = step.number();
    }

    /** Removes the members whose last step is {@code step} or earlier. */
    private void leave(long step, List<SglangRequest> alone) {
        if (nextLast > step) {
            return;
        }
        nextLast = Long.MAX_VALUE;
        int kept = 0;
        for (int i = 0; i < size; i++) {
            SglangRequest member = members[i];
            if (member.last <= step) {
                settle(member);
                alone.add(member);
            } else {
                nextLast = Math.min(nextLast, member.last);
                ids[kept] = ids[i];
                members[kept++] = member;
            }
        }
        size = kept;
    }

    /** Removes all members, in the order of {@code running}. */
    void settle(List<SglangRequest> running, List<SglangRequest> alone) {
        for (int i = 0; i < size; i++) {
            settle(members[i]);
        }
        for (SglangStep flight : flights) {
            flight.settled(running);
        }
        alone.clear();
        alone.addAll(running);
        size = 0;
        nextLast = Long.MAX_VALUE;
    }

    /** Updates a request and adds it to the steps in flight. */
    private void settle(SglangRequest request) {
        due[rest(request)]--;
        offsets -= request.allocated - request.joined;
        request.output = request.output();
        request.allocated += (int) (planned + 1 - request.joined);
        request.group = null;
        for (SglangStep flight : flights) {
            if (flight.number() >= request.joined) {
                flight.makeIndividual(request);
            }
        }
    }
}
