package dev.stagesim.sim.network.packet;

/** HPCC on the one utilisation that a frame brings back. */
final class HpccPint extends RateControl {
    private static final int RANDOM_RANGE = 65536;

    private final State state;
    private final Flows flows;
    private final CongestionSpec.HpccPint spec;
    private final RateChange change;
    private final CRandom random;
    private final long counted;

    private long[] updated = {};
    private long[] current = {};
    private int[] stage = {};

    HpccPint(State state, CongestionSpec.HpccPint spec, FlowQueues queues, CRandom random) {
        this.state = state;
        this.flows = state.flows;
        this.spec = spec;
        this.random = random;
        change = new RateChange(state, queues);
        counted = (long) (RANDOM_RANGE * spec.probability());
    }

    @Override
    void start(int flow) {
        updated = FlowFigures.atLeast(updated, flow);
        current = FlowFigures.atLeast(current, flow);
        stage = FlowFigures.atLeast(stage, flow);
        updated[flow] = 0;
        current[flow] = flows.rate[flow];
        stage[flow] = 0;
    }

    @Override
    void acknowledged(int flow, int packet) {
        if (random.next() % RANDOM_RANGE >= counted) {
            return;
        }
        boolean fast = state.packets.sequence(packet) <= updated[flow];
        if (updated[flow] == 0) {
            updated[flow] = flows.nextByte[flow];
            return;
        }
        double excess = PowerTelemetry.decode(spec.base(), state.packets.power[packet]) / spec.target();
        boolean cut = excess >= 1 || stage[flow] >= spec.stages();
        long rate = (cut ? (long) (current[flow] / excess) : current[flow]) + spec.additive();
        rate = Math.min(Math.max(rate, spec.least()), flows.mostRate[flow]);
        change.to(flow, rate);
        if (!fast) {
            current[flow] = rate;
            stage[flow] = cut ? 0 : stage[flow] + 1;
            updated[flow] = Math.max(updated[flow], flows.nextByte[flow]);
        }
    }
}
