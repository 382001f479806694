package dev.stagesim.sim.serving;

import dev.stagesim.model.Problem;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.sim.serving.request.Tokens;
import dev.stagesim.sim.workload.SharedTokens;
import java.util.List;
import java.util.function.DoubleSupplier;

/**
 * A simulated service whose requests come while it runs: requests in, their tokens out as time is moved on.
 *
 * <p>Requests that arrive at the times of a trace get their tokens when {@link ServingSimulator#run} gives them, to the last
 * bit. A place is used again when its request is done, so memory follows the requests under way, not all there ever were.
 *
 * <p><b>Caveats:</b> one thread. When operator times do not cover a batch, {@link #advanceTo} throws, and the service cannot go
 * on.
 */
public final class OnlineServing {
    /** Mark of a place whose request is on its way to a replica. */
    private static final int UNPLACED = -1;

    /** Mark of a place without a request. */
    private static final int EMPTY = -2;

    private final ServingSpec spec;
    private final MemoryPlan plan;
    private final RequestTrace places;
    private final ServingSimulator engine;
    private final IntDeque free = new IntDeque();
    private final IntDeque done = new IntDeque();

    /** Number of the request in each place: whoever comes next has other tokens. */
    private final int[] numbers;

    private int submitted;

    /** Replica of the request in each place, or what there is instead. */
    private final int[] replicaOf;

    /**
     * An idle service at time 0.
     *
     * @param capacity most requests under way
     * @param stepFactor asked for each execution of a batch on a stage: what its time is multiplied with; 1 for none
     * @param recorders hear what happens, as in a simulation of a trace
     * @throws dev.stagesim.model.StageException when the model does not fit the cluster's memory
     */
    public OnlineServing(
            ServingSpec spec,
            OperatorTimes times,
            int capacity,
            DoubleSupplier stepFactor,
            ServingRecorder... recorders) {
        this.spec = spec;
        this.plan = MemoryPlan.of(spec);
        this.numbers = new int[capacity];
        this.places = new RequestTrace(
                        new double[capacity],
                        new int[capacity],
                        new int[capacity],
                        place -> Tokens.from(SharedTokens.promptOf(numbers[place])))
                .numbered(place -> numbers[place]);
        this.replicaOf = new int[capacity];
        java.util.Arrays.fill(replicaOf, EMPTY);
        ServingRecorder[] all = java.util.Arrays.copyOf(recorders, recorders.length + 1);
        all[recorders.length] = new Places();
        this.engine = ServingSimulator.online(
                spec,
                new RequestStates(places),
                new StepTimes(spec, times),
                plan,
                usual -> usual * stepFactor.getAsDouble(),
                replica -> null,
                all);
        for (int place = 0; place < capacity; place++) {
            free.addLast(place);
        }
    }

    /** Knows where requests are, and when their places are free again. */
    private final class Places implements ServingRecorder {
        @Override
        public void requestAssigned(int request, int replica, double time) {
            replicaOf[request] = replica;
        }

        @Override
        public void requestCompleted(int request, double time, RequestStates states) {
            done.addLast(request);
        }

        @Override
        public void requestWithdrawn(int request, double time) {
            done.addLast(request);
        }
    }

    /** What keeps a request from ever being served; empty when it can be. */
    public List<Problem> problems(int prefillTokens, int decodeTokens) {
        RequestTrace alone = new RequestTrace(new double[1], new int[] {prefillTokens}, new int[] {decodeTokens});
        return Feasibility.problems(spec, plan, alone);
    }

    /** True when no more requests can come until one is done. */
    public boolean isFull() {
        return free.isEmpty();
    }

    /** Requests under way. */
    public int underWay() {
        return places.size() - free.size();
    }

    /**
     * A request arrives; one that came late arrives now.
     *
     * @return its place, which recorders know it by until it is done
     */
    public int submit(double atSeconds, int prefillTokens, int decodeTokens) {
        if (free.isEmpty()) {
            throw new IllegalStateException("all " + places.size() + " places are taken");
        }
        while (engine.nextTime() < atSeconds) {
            step();
        }
        double at = Math.max(atSeconds, engine.now());
        int place = free.removeFirst();
        numbers[place] = submitted++;
        places.replace(place, at, prefillTokens, decodeTokens);
        engine.states().renew(place);
        replicaOf[place] = UNPLACED;
        engine.arrive(place, at);
        return place;
    }

    /**
     * A request is given up by who sent it. It takes part in no batch after the one it is in, its memory is free again, and its
     * place too; {@link ServingRecorder#requestWithdrawn} tells when. A scheduler whose batches run to the end of their last
     * request goes on with it when it has begun. A request that is done by then, or was given up before, stays as it is.
     */
    public void withdraw(double atSeconds, int place) {
        while (engine.nextTime() < atSeconds) {
            step();
        }
        if (replicaOf[place] != EMPTY && !engine.states().withdrawn(place)) {
            engine.withdraw(place, replicaOf[place], Math.max(atSeconds, engine.now()));
            free();
        }
    }

    /** When something happens next, in seconds; infinite when nothing is to happen. */
    public double nextSeconds() {
        return engine.nextTime();
    }

    /**
     * Advances to a time, inclusive.
     *
     * @throws dev.stagesim.model.StageException when a batch is beyond what the operator times cover
     */
    public void advanceTo(double seconds) {
        while (engine.nextTime() <= seconds) {
            step();
        }
    }

    private void step() {
        engine.step();
        free();
    }

    private void free() {
        while (!done.isEmpty()) {
            int place = done.removeFirst();
            replicaOf[place] = EMPTY;
            free.addLast(place);
        }
    }
}
