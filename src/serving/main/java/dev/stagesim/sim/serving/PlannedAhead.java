package dev.stagesim.sim.serving;

import java.util.ArrayList;
import java.util.List;

/**
 * An engine of today as a replica: steps are planned before the results of those in flight are known.
 *
 * @param <R> a request as the engine's scheduler knows it
 */
abstract class PlannedAhead<R> extends BatchPolicy {
    final RequestStates states;
    final EngineAccounts accounts;
    private final List<R> leaving = new ArrayList<>();
    private int outstanding;

    PlannedAhead(RequestStates states, EngineAccounts accounts) {
        this.states = states;
        this.accounts = accounts;
    }

    /** Hands a request to the scheduler. */
    abstract void add(int request);

    /** Takes the result of the oldest step in flight; the accounts hear of every output. */
    abstract void process(Batch batch);

    /** Tells what the step that was processed last produced. */
    abstract void report(Batch batch, double now);

    /** Ends a request at once. */
    abstract R abort(int request);

    /** Steps or tokens of a request that are still in flight. */
    abstract int inFlight(R request);

    abstract int number(R request);

    @Override
    final boolean plansAtOnce() {
        return true;
    }

    @Override
    final void enqueue(int request) {
        outstanding++;
        add(request);
    }

    @Override
    final void end(Batch batch, double now, BatchEnd counts) {
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
    final boolean withdraw(int number) {
        R request = abort(number);
        outstanding--;
        if (inFlight(request) == 0) {
            return true;
        }
        states.set(number, RequestStates.WITHDRAWN);
        leaving.add(request);
        return false;
    }

    /** Whether requests that were given up are in a step. */
    final boolean isAnyLeaving() {
        return !leaving.isEmpty();
    }

    @Override
    final int outstanding() {
        return outstanding;
    }
}
