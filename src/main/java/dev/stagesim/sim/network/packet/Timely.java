package dev.stagesim.sim.network.packet;

/** TIMELY: rates follow the slope of the round-trip time between two thresholds. */
final class Timely extends RateControl {
    private static final double SMOOTHING = 0.875;
    private static final double DECREASE = 0.8;
    private static final int LOW = 50_000;
    private static final int HIGH = 500_000;
    private static final int SHORTEST_ROUND_TRIP = 20_000;
    private static final int HYPER_AFTER = 5;

    private final State state;
    private final Flows flows;
    private final CongestionSpec.Timely spec;
    private final boolean stamped;

    private long[] updated = {};
    private long[] last = {};
    private double[] slope = {};
    private int[] increases = {};
    private long[] current = {};

    Timely(State state, CongestionSpec.Timely spec) {
        this.state = state;
        this.flows = state.flows;
        this.spec = spec;
        this.stamped = !state.spec.asReference();
    }

    @Override
    void start(int flow) {
        updated = FlowFigures.atLeast(updated, flow);
        last = FlowFigures.atLeast(last, flow);
        slope = FlowFigures.atLeast(slope, flow);
        increases = FlowFigures.atLeast(increases, flow);
        current = FlowFigures.atLeast(current, flow);
        updated[flow] = 0;
        last[flow] = 0;
        slope[flow] = 0;
        increases[flow] = 0;
        current[flow] = flows.rate[flow];
    }

    @Override
    void acknowledged(int flow, int packet) {
        if (state.packets.sequence(packet) <= updated[flow]) {
            return;
        }
        // The reference never writes the stamp, so that its round trip is the time since the start of the run.
        long roundTrip = state.now - (stamped ? state.packets.sentAt[packet] : 0);
        if (updated[flow] != 0) {
            update(flow, roundTrip);
        }
        if (flows.nextByte[flow] > updated[flow]) {
            updated[flow] = flows.nextByte[flow];
            last[flow] = roundTrip;
        }
    }

    private void update(int flow, long roundTrip) {
        slope[flow] = (1 - SMOOTHING) * slope[flow] + SMOOTHING * (roundTrip - last[flow]);
        double gradient = slope[flow] / SHORTEST_ROUND_TRIP;
        if (roundTrip < LOW) {
            increase(flow);
        } else if (roundTrip > HIGH) {
            decrease(flow, 1 - DECREASE * (1 - (double) HIGH / roundTrip));
        } else if (gradient <= 0) {
            increase(flow);
        } else {
            decrease(flow, Math.max(0, 1 - DECREASE * gradient));
        }
        current[flow] = flows.rate[flow];
    }

    private void increase(int flow) {
        long step = increases[flow] < HYPER_AFTER ? spec.additive() : spec.hyper();
        flows.rate[flow] = Math.min(flows.mostRate[flow], current[flow] + step);
        increases[flow]++;
    }

    private void decrease(int flow, double factor) {
        flows.rate[flow] = Math.max(spec.least(), (long) (current[flow] * factor));
        increases[flow] = 0;
    }
}
