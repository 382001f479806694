package dev.stagesim.sim.network.packet;

/** DCTCP: once per round trip alpha takes up the share of marked frames, and a mark cuts the rate by half of it. */
final class Dctcp extends RateControl {
    private final State state;
    private final Flows flows;
    private final CongestionSpec.Dctcp spec;

    private double[] alpha = {};
    private long[] updated = {};
    private long[] batch = {};
    private int[] marks = {};
    private boolean[] reduced = {};
    private long[] reducedUntil = {};

    Dctcp(State state, CongestionSpec.Dctcp spec) {
        this.state = state;
        this.flows = state.flows;
        this.spec = spec;
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
            flows.rate[flow] = Math.max(spec.least(), (long) (flows.rate[flow] * (1 - alpha[flow] / 2)));
            reduced[flow] = true;
            reducedUntil[flow] = next;
        }
        if (!reduced[flow] && roundTrip) {
            flows.rate[flow] = Math.min(flows.mostRate[flow], flows.rate[flow] + spec.additive());
        }
    }
}
