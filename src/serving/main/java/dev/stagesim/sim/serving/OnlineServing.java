package dev.stagesim.sim.serving;

import dev.stagesim.model.Problem;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.sim.core.IntDeque;
import dev.stagesim.sim.serving.replica.RequestStates;
import dev.stagesim.sim.serving.replica.ServingRecorder;
import dev.stagesim.sim.serving.replica.StepTimes;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.request.Tokens;
import dev.stagesim.sim.serving.spec.Feasibility;
import dev.stagesim.sim.serving.spec.MemoryPlan;
import dev.stagesim.sim.serving.spec.ServingSpec;
import dev.stagesim.sim.workload.SharedTokens;
import java.util.List;
import java.util.function.DoubleSupplier;

/**
 * A simulated service that accepts requests while it runs and delivers their tokens as the clock advances.
 *
 * <p>Requests that arrive at the times of a trace get their tokens at exactly the same times as in
 * {@link ServingSimulator#run}. A slot is reused when its request is complete, so memory depends on the number of requests
 * in progress, not on their total number.
 *
 * <p><b>Caveats:</b> one thread. If operator times do not cover a batch, {@link #advanceTo} throws, and the service cannot
 * continue.
 */
public final class OnlineServing {
    /** Value for a slot with a request that has no replica yet. */
    private static final int UNPLACED = -1;

    /** Value for a slot without a request. */
    private static final int EMPTY = -2;

    private final ServingSpec spec;
    private final MemoryPlan plan;
    private final RequestTrace places;
    private final ServingSimulator engine;
    private final IntDeque free = new IntDeque();
    private final IntDeque done = new IntDeque();

    /** Number of the request in each slot, on which its tokens depend. */
    private final int[] numbers;

    private int submitted;

    /** Replica of the request in each slot, {@link #UNPLACED} or {@link #EMPTY}. */
    private final int[] replicaOf;

    /**
     * Creates an idle service at time 0.
     *
     * @param capacity maximum number of requests in progress
     * @param stepFactor returns the factor on the time of each execution of a batch on a stage; 1 for no change
     * @param recorders recorders to notify, as in a simulation of a trace
     * @throws dev.stagesim.model.StageException if the model does not fit the memory of the cluster
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

    /** Tracks the replicas of requests and frees their slots. */
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

    /** Returns the reasons why a request can never be served; empty if it can. */
    public List<Problem> problems(int prefillTokens, int decodeTokens) {
        RequestTrace alone = new RequestTrace(new double[1], new int[] {prefillTokens}, new int[] {decodeTokens});
        return Feasibility.problems(spec, plan, alone);
    }

    /** Returns true if no request can be submitted until one has left. */
    public boolean isFull() {
        return free.isEmpty();
    }

    /** Returns the number of requests in progress. */
    public int inProgress() {
        return places.size() - free.size();
    }

    /**
     * Submits a request. If its time is in the past, it arrives now.
     *
     * @return its slot, which identifies it in recorders until it is complete
     */
    public int submit(double atSeconds, int prefillTokens, int decodeTokens) {
        if (free.isEmpty()) {
            throw new IllegalStateException("all " + places.size() + " slots are in use");
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
     * Cancels a request. It is in no batch after its current one; its memory and its slot are then free.
     * {@link ServingRecorder#requestWithdrawn} reports the time. A scheduler with static batches continues a started request
     * to the end of its batch. The call has no effect on a request that is complete or was cancelled before.
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

    /** Returns the time of the next event in seconds, or infinity if there is none. */
    public double nextSeconds() {
        return engine.nextTime();
    }

    /**
     * Advances the clock to {@code seconds}, inclusive.
     *
     * @throws dev.stagesim.model.StageException if operator times do not cover a batch
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
