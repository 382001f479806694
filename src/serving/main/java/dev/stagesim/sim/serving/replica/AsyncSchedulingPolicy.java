package dev.stagesim.sim.serving.replica;

import java.util.ArrayList;
import java.util.List;

/**
 * A replica with asynchronous scheduling: it plans the next step before the current one has finished.
 *
 * @param <R> a request in the engine's scheduler
 */
abstract class AsyncSchedulingPolicy<R> extends BatchPolicy {
    final RequestStates states;
    final EngineAccounts accounts;
    private final List<R> leaving = new ArrayList<>();
    private int outstanding;

    AsyncSchedulingPolicy(RequestStates states, EngineAccounts accounts) {
        this.states = states;
        this.accounts = accounts;
    }

    /** Adds a request to the scheduler. */
    abstract void add(int request);

    /** Processes the result of the oldest step in flight and passes its outputs to the accounts. */
    abstract void process(Batch batch);

    /** Reports the results of the last processed step. */
    abstract void report(Batch batch, double now);

    /** Ends a request immediately. */
    abstract R abort(int request);

    /** Returns the number of steps or tokens of a request in flight. */
    abstract int inFlight(R request);

    abstract int number(R request);

    @Override
    public final boolean plansImmediately() {
        return true;
    }

    @Override
    public final void enqueue(int request) {
        outstanding++;
        add(request);
    }

    @Override
    public final void end(Batch batch, double now, RequestAccounting counts) {
        process(batch);
        counts.completed(accounts.ended());
        outstanding -= accounts.ended();
        report(batch, now);
        if (!leaving.isEmpty()) {
            leaving.removeIf(this::isGone);
        }
    }

    private boolean isGone(R request) {
        boolean isGone = inFlight(request) == 0;
        if (isGone) {
            left.addLast(number(request));
        }
        return isGone;
    }

    @Override
    public final boolean withdraw(int number) {
        R request = abort(number);
        outstanding--;
        if (inFlight(request) == 0) {
            return true;
        }
        states.set(number, RequestStates.WITHDRAWN);
        leaving.add(request);
        return false;
    }

    /** Returns true if a step in flight contains withdrawn requests. */
    final boolean isAnyLeaving() {
        return !leaving.isEmpty();
    }

    @Override
    public final int outstanding() {
        return outstanding;
    }
}
