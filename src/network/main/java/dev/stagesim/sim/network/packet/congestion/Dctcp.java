package dev.stagesim.sim.network.packet.congestion;

import dev.stagesim.model.FormerKeys;
import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import dev.stagesim.sim.network.packet.state.FlowQueues;
import dev.stagesim.sim.network.packet.state.Ns3;
import dev.stagesim.sim.network.packet.state.RateControl;
import dev.stagesim.sim.network.packet.state.State;

/**
 * DCTCP (Alizadeh et al., SIGCOMM 2010) on rates. Once per RTT, alpha moves towards the share of marked frames; a mark
 * cuts the rate by the factor 1 - alpha/2.
 */
public final class Dctcp extends RateControl.PerFlow<Dctcp.Sender> {
    /** Parameters of DCTCP. */
    @Variant("dctcp | DCTCP on rates: a cut is proportional to the share of marked frames.")
    @Ns3("8")
    @FormerKeys("least=min_rate_mbps")
    public record Spec(
            @Key("Weight of a new observation in alpha. | 0.0625 | 0..1") @Ns3("EWMA_GAIN | 0") double gain,
            @Key("Additive increase per RTT. | 1000 | Mbit/s | 0..1000000000") @Ns3("DCTCP_RATE_AI | 1000")
                    double additive,
            @Key("Minimum rate. | 100 | Mbit/s | 0.000001..1000000000") @Ns3("MIN_RATE | 100") double minRateMbps)
            implements CongestionSpec {
        @Override
        public boolean isConstantWhenUncontended() {
            return true;
        }

        @Override
        public RateControl control(State state, FlowQueues queues) {
            return new Dctcp(state, queues, this);
        }
    }

    private final Spec spec;
    private final long additive;
    private final long minRate;

    /** State of one flow: its share of marked frames per RTT. */
    static final class Sender {
        double alpha = 1;
        long updated;
        long batch;
        int marks;
        boolean reduced;
        long reducedUntil;
    }

    Dctcp(State state, FlowQueues queues, Spec spec) {
        super(state, queues);
        this.spec = spec;
        additive = CongestionSpec.bits(spec.additive());
        minRate = CongestionSpec.bits(spec.minRateMbps());
    }

    @Override
    protected Sender sender(long rate) {
        return new Sender();
    }

    @Override
    protected void acknowledged(Sender sender, int flow, int packet) {
        long acked = state.packets.sequence(packet);
        boolean marked = state.packets.isMarked(packet);
        long next = flows.nextByte[flow];
        int payload = state.spec.transport().payload();
        sender.marks += marked ? 1 : 0;
        boolean roundTrip = acked > sender.updated;
        if (roundTrip) {
            if (sender.updated == 0) {
                sender.batch = next / payload + 1;
            } else {
                double share = Math.min(1.0, (double) sender.marks / sender.batch);
                sender.alpha = (1 - spec.gain()) * sender.alpha + spec.gain() * share;
                sender.marks = 0;
                sender.batch = (next - acked) / payload + 1;
            }
            sender.updated = next;
        }
        if (sender.reduced && acked > sender.reducedUntil) {
            sender.reduced = false;
        }
        if (marked && !sender.reduced) {
            flows.rate[flow] = Math.max(minRate, (long) (flows.rate[flow] * (1 - sender.alpha / 2)));
            sender.reduced = true;
            sender.reducedUntil = next;
        }
        if (!sender.reduced && roundTrip) {
            flows.rate[flow] = Math.min(flows.maxRate[flow], flows.rate[flow] + additive);
        }
    }
}
