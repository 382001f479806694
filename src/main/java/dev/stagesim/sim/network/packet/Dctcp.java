package dev.stagesim.sim.network.packet;

import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;

/** DCTCP: once per round trip alpha takes up the share of marked frames, and a mark cuts the rate by half of it. */
public final class Dctcp extends RateControl {
    /** Its parameters. */
    @Variant("dctcp | DCTCP on rates: the share of marked frames says how far to cut.")
    @Ns3("8")
    public record Spec(
            @Key("Weight of a new observation in alpha. | 0.0625 | 0..1") @Ns3("EWMA_GAIN | 0") double gain,
            @Key("Growth per round trip. | 1000 | Mbit/s | 0..") @Ns3("DCTCP_RATE_AI | 1000") double additive,
            @Key("Smallest rate. | 100 | Mbit/s | >0..") @Ns3("MIN_RATE | 100") double least)
            implements CongestionSpec {
        @Override
        public boolean isCalm() {
            return true;
        }

        @Override
        public RateControl control(State state, FlowQueues queues) {
            return new Dctcp(state, this);
        }
    }

    private final State state;
    private final Flows flows;
    private final Spec spec;
    private final long additive;
    private final long least;

    private double[] alpha = {};
    private long[] updated = {};
    private long[] batch = {};
    private int[] marks = {};
    private boolean[] reduced = {};
    private long[] reducedUntil = {};

    Dctcp(State state, Spec spec) {
        this.state = state;
        this.flows = state.flows;
        this.spec = spec;
        additive = CongestionSpec.bits(spec.additive());
        least = CongestionSpec.bits(spec.least());
    }

    @Override
    void start(int flow) {
        alpha = FlowFigures.atLeast(alpha, flow);
        updated = FlowFigures.atLeast(updated, flow);
        batch = FlowFigures.atLeast(batch, flow);
        marks = FlowFigures.atLeast(marks, flow);
        reduced = FlowFigures.atLeast(reduced, flow);
        reducedUntil = FlowFigures.atLeast(reducedUntil, flow);
        alpha[flow] = 1;
        updated[flow] = 0;
        batch[flow] = 0;
        marks[flow] = 0;
        reduced[flow] = false;
        reducedUntil[flow] = 0;
    }

    @Override
    void acknowledged(int flow, int packet) {
        long acked = state.packets.sequence(packet);
        boolean marked = state.packets.isMarked(packet);
        long next = flows.nextByte[flow];
        int payload = state.spec.transport().payload();
        marks[flow] += marked ? 1 : 0;
        boolean roundTrip = acked > updated[flow];
        if (roundTrip) {
            if (updated[flow] == 0) {
                batch[flow] = next / payload + 1;
            } else {
                double share = Math.min(1.0, (double) marks[flow] / batch[flow]);
                alpha[flow] = (1 - spec.gain()) * alpha[flow] + spec.gain() * share;
                marks[flow] = 0;
                batch[flow] = (next - acked) / payload + 1;
            }
            updated[flow] = next;
        }
        if (reduced[flow] && acked > reducedUntil[flow]) {
            reduced[flow] = false;
        }
        if (marked && !reduced[flow]) {
            flows.rate[flow] = Math.max(least, (long) (flows.rate[flow] * (1 - alpha[flow] / 2)));
            reduced[flow] = true;
            reducedUntil[flow] = next;
        }
        if (!reduced[flow] && roundTrip) {
            flows.rate[flow] = Math.min(flows.mostRate[flow], flows.rate[flow] + additive);
        }
    }
}
