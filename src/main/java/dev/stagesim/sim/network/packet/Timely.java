package dev.stagesim.sim.network.packet;

import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;

/** TIMELY: rates follow the slope of the round-trip time between two thresholds. */
public final class Timely extends RateControl {
    /** Its parameters. */
    @Variant("timely | TIMELY: rates follow the round-trip time and its slope.")
    @Ns3("7")
    public record Spec(
            @Key("Growth of the first steps. | 50 | Mbit/s | 0..") @Ns3("RATE_AI") double additive,
            @Key("Growth after five of them. | 100 | Mbit/s | 0..") @Ns3("RATE_HAI") double hyper,
            @Key("Smallest rate. | 100 | Mbit/s | >0..") @Ns3("MIN_RATE | 100") double least)
            implements CongestionSpec {
        @Override
        public int telemetryBytes() {
            return 8;
        }

        @Override
        public RateControl control(State state, FlowQueues queues) {
            return new Timely(state, this);
        }
    }

    private static final double SMOOTHING = 0.875;
    private static final double DECREASE = 0.8;
    private static final int LOW = 50_000;
    private static final int HIGH = 500_000;
    private static final int SHORTEST_ROUND_TRIP = 20_000;
    private static final int HYPER_AFTER = 5;

    private final State state;
    private final Flows flows;
    private final long additive;
    private final long hyper;
    private final long least;
    private final boolean stamped;

    private long[] updated = {};
    private long[] last = {};
    private double[] slope = {};
    private int[] increases = {};
    private long[] current = {};

    Timely(State state, Spec spec) {
        this.state = state;
        this.flows = state.flows;
        additive = CongestionSpec.bits(spec.additive());
        hyper = CongestionSpec.bits(spec.hyper());
        least = CongestionSpec.bits(spec.least());
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
        long step = increases[flow] < HYPER_AFTER ? additive : hyper;
        flows.rate[flow] = Math.min(flows.mostRate[flow], current[flow] + step);
        increases[flow]++;
    }

    private void decrease(int flow, double factor) {
        flows.rate[flow] = Math.max(least, (long) (current[flow] * factor));
        increases[flow] = 0;
    }
}
