package dev.stagesim.sim.serving.policy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/**
 * Running requests of SGLang that decode in step: each takes one token of every decode step until its last.
 *
 * <p>Decode steps are numbered from 1. A member's last one is known when it joins, and so are the steps in which it needs a page,
 * one in {@code page}; a step costs a look at how many do. A request joins after a decode of its own, and leaves in front of its
 * last result: it is put into that step as if it had been planned there by itself.
 */
public final class SglangInStep {
    private final TokenPool pool;
    private final Deque<SglangStep> flights;

    /** Members that need a page in steps whose number leaves such a rest. */
    private final int[] due;

    private SglangRequest[] members = new SglangRequest[16];
    private int[] ids = new int[16];
    private int size;

    /** Sum of what to add to the number of a step for the members' tokens computed before it. */
    private long offsets;

    private long nextLast = Long.MAX_VALUE;
    private long planned;
    private long done;

    SglangInStep(TokenPool pool, Deque<SglangStep> flights) {
        this.pool = pool;
        this.flights = flights;
        due = new int[pool.pageSize()];
    }

    /** Numbers of the requests, in their order; valid up to the step's number of them. */
    public int[] ids() {
        return ids;
    }

    /** Tokens that the members' decodes of the step planned last attend to. */
    public long kvTokens() {
        return offsets + size * (planned + 1);
    }

    /** The number of the step whose result came last. */
    long done() {
        return done;
    }

    /** Begins a decode step: lets members go that it is one too many for, and takes in those of {@code alone} that may join. */
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

    /** The rest of the numbers of steps in which a request, up to date when it joined, needs a page. */
    private int rest(SglangRequest request) {
        return Math.floorMod(request.joined - request.allocated, due.length);
    }

    /** Pages that members need in the next step. */
    int pages() {
        return due[(int) ((planned + 1) % due.length)];
    }

    /** Plans a token for each member. */
    void plan(SglangStep step) {
        pool.hold(pages());
        planned++;
        step.inStep(this, planned, size);
    }

    /** The result of a decode step has come; {@code alone} takes the members whose last one it was. */
    void process(SglangStep step, List<SglangRequest> alone) {
        leave(step.number(), alone);
        done = step.number();
    }

    /** Lets members go whose last step is {@code step} or before. */
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

    /** Lets all go; they are in the order of {@code running}. */
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

    /** Brings a request up to date, and puts it into the steps in flight. */
    private void settle(SglangRequest request) {
        due[rest(request)]--;
        offsets -= request.allocated - request.joined;
        request.output = request.output();
        request.allocated += (int) (planned + 1 - request.joined);
        request.group = null;
        for (SglangStep flight : flights) {
            if (flight.number() >= request.joined) {
                flight.giveBack(request);
            }
        }
    }
}
