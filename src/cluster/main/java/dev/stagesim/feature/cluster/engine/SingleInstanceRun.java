package dev.stagesim.feature.cluster.engine;

import dev.stagesim.feature.cluster.instance.BinnedTimeSeries;
import dev.stagesim.feature.cluster.instance.Instance;
import dev.stagesim.feature.cluster.instance.RequestTimeline;
import dev.stagesim.feature.cluster.instance.RequestTimeline.Outcome;
import dev.stagesim.feature.cluster.instance.RequestTimeline.Stage;
import dev.stagesim.sim.core.SimulatedTime;
import dev.stagesim.sim.core.StableOrder;
import dev.stagesim.sim.serving.ServingSimulator;
import dev.stagesim.sim.serving.policy.KvRequest;
import dev.stagesim.sim.serving.policy.LiveRequest;
import dev.stagesim.sim.serving.replica.StepTimes;
import dev.stagesim.sim.serving.request.RequestTrace;

/** Simulates one instance with its requests, which are renumbered from 0. */
final class SingleInstanceRun implements Instance.Events {
    private final RequestTrace trace;
    private final RequestTrace places;
    private final Instance instance;
    private final Instance target;
    private final RequestTimeline timeline;
    private double now;

    /** Creates a simulation that replaces the instance {@code target}. */
    SingleInstanceRun(Instance target, RequestTrace trace, StepTimes times, BinnedTimeSeries series) {
        this.target = target;
        this.trace = trace;
        places = ClusterTopology.places(trace);
        timeline = new RequestTimeline(trace.size());
        Instance.Shared shared = Instance.Shared.of(timeline, this, places, new KvRequest[trace.size()], series);
        Instance.Caches none = new Instance.Caches(null, null, null);
        instance = new Instance(target.number, target.pool, target.firstSignal, shared, times, none, null);
        instance.slowness = target.slowness;
    }

    /** Serves all requests. Returns the time of the last event. */
    double run() {
        instance.begin();
        double[] enters = new double[trace.size()];
        for (int i = 0; i < enters.length; i++) {
            enters[i] = trace.arrivalSeconds(i) + instance.pool.serverSeconds(trace.prefillTokens(i));
        }
        int[] order = StableOrder.byValue(enters, enters.length);
        ServingSimulator engine = instance.engine();
        for (int next = 0; next < order.length || engine.nextTime() < Double.POSITIVE_INFINITY; ) {
            double entry = next < order.length ? enters[order[next]] : Double.POSITIVE_INFINITY;
            // external events go first
            if (entry <= engine.nextTime()) {
                now = entry;
                enter(order[next++]);
            } else {
                double limit = Math.min(entry, SimulatedTime.MAX_SECONDS);
                if (engine.nextTime() < limit) {
                    engine.runBefore(limit);
                } else {
                    engine.step();
                }
                now = engine.now();
            }
            if (!SimulatedTime.isRepresentable(now)) {
                throw ClusterErrors.endless();
            }
        }
        instance.settle(now);
        instance.end();
        return now;
    }

    private void enter(int request) {
        timeline.entered[request] = now;
        double arrival = trace.arrivalSeconds(request);
        places.setArrival(2 * request, arrival, trace.prefillTokens(request), trace.decodeTokens(request));
        instance.place(2 * request, trace.prefillTokens(request), now);
    }

    /** Copies the results to the timelines of all requests. {@code requests} maps request numbers. */
    void copyResults(RequestTimeline all, int[] requests) {
        target.copyResults(instance, requests.length);
        for (int i = 0; i < requests.length; i++) {
            all.copyFrom(requests[i], timeline, i);
        }
    }

    @Override
    public double now() {
        return now;
    }

    @Override
    public void done(int request, Instance where, boolean isLater) {
        timeline.outcome[request] = Outcome.COMPLETED;
        timeline.stage[request] = Stage.OVER;
    }

    @Override
    public void prefilled(int request, Instance where) {
        // no router depends on it
    }

    @Override
    public void requestKv(int request, int tokens, KvRequest receiver) {
        throw unsupported();
    }

    @Override
    public void reads(Instance where, LiveRequest request, double end) {
        throw unsupported();
    }

    @Override
    public void prefillReleased(int request) {
        throw unsupported();
    }

    private static IllegalStateException unsupported() {
        return new IllegalStateException("an independent instance exchanges no requests");
    }
}
