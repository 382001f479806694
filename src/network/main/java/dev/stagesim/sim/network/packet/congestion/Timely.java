package dev.stagesim.sim.network.packet.congestion;

import dev.stagesim.model.FormerKeys;
import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import dev.stagesim.sim.network.packet.state.FlowQueues;
import dev.stagesim.sim.network.packet.state.Ns3;
import dev.stagesim.sim.network.packet.state.RateControl;
import dev.stagesim.sim.network.packet.state.State;

/** TIMELY (Mittal et al., SIGCOMM 2015): rates follow the gradient of the RTT between two thresholds. */
public final class Timely extends RateControl.PerFlow<Timely.Sender> {
    /** Parameters of TIMELY. */
    @Variant("timely | TIMELY: rates follow the RTT and its gradient.")
    @Ns3("7")
    @FormerKeys("least=min_rate_mbps")
    public record Spec(
            @Key("Additive increase of the first steps. | 50 | Mbit/s | 0..1000000000") @Ns3("RATE_AI") double additive,
            @Key("Increase after five additive ones. | 100 | Mbit/s | 0..1000000000") @Ns3("RATE_HAI") double hyper,
            @Key("Minimum rate. | 100 | Mbit/s | 0.000001..1000000000") @Ns3("MIN_RATE | 100") double minRateMbps)
            implements CongestionSpec {
        @Override
        public int telemetryBytes() {
            return 8;
        }

        @Override
        public boolean carriesTimestamp() {
            return true;
        }

        @Override
        public RateControl control(State state, FlowQueues queues) {
            return new Timely(state, queues, this);
        }
    }

    private static final double SMOOTHING = 0.875;
    private static final double DECREASE = 0.8;
    private static final int LOW = 50_000;
    private static final int HIGH = 500_000;
    private static final int SHORTEST_ROUND_TRIP = 20_000;
    private static final int HYPER_AFTER = 5;

    private final long additive;
    private final long hyper;
    private final long minRate;
    private final boolean stamped;

    /** State of one flow: its last RTT, and the rate at that time. */
    static final class Sender {
        long updated;
        long last;
        double slope;
        int increases;
        long current;
    }

    Timely(State state, FlowQueues queues, Spec spec) {
        super(state, queues);
        additive = CongestionSpec.bits(spec.additive());
        hyper = CongestionSpec.bits(spec.hyper());
        minRate = CongestionSpec.bits(spec.minRateMbps());
        this.stamped = !state.spec.asReference();
    }

    @Override
    protected Sender sender(long rate) {
        Sender sender = new Sender();
        sender.current = rate;
        return sender;
    }

    @Override
    protected void acknowledged(Sender sender, int flow, int packet) {
        if (state.packets.sequence(packet) <= sender.updated) {
            return;
        }
        // The reference never writes the time stamp, so its RTT is the time since the start of the run.
        long roundTrip = state.now - (stamped ? state.packets.carried[packet] : 0);
        if (sender.updated != 0) {
            update(sender, flow, roundTrip);
        }
        if (flows.nextByte[flow] > sender.updated) {
            sender.updated = flows.nextByte[flow];
            sender.last = roundTrip;
        }
    }

    private void update(Sender sender, int flow, long roundTrip) {
        sender.slope = (1 - SMOOTHING) * sender.slope + SMOOTHING * (roundTrip - sender.last);
        double gradient = sender.slope / SHORTEST_ROUND_TRIP;
        if (roundTrip < LOW) {
            increase(sender, flow);
        } else if (roundTrip > HIGH) {
            decrease(sender, flow, 1 - DECREASE * (1 - (double) HIGH / roundTrip));
        } else if (gradient <= 0) {
            increase(sender, flow);
        } else {
            decrease(sender, flow, Math.max(0, 1 - DECREASE * gradient));
        }
        sender.current = flows.rate[flow];
    }

    private void increase(Sender sender, int flow) {
        long step = sender.increases < HYPER_AFTER ? additive : hyper;
        flows.rate[flow] = Math.min(flows.maxRate[flow], sender.current + step);
        sender.increases++;
    }

    private void decrease(Sender sender, int flow, double factor) {
        flows.rate[flow] = Math.max(minRate, (long) (sender.current * factor));
        sender.increases = 0;
    }
}
