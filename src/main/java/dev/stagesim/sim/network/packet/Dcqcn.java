package dev.stagesim.sim.network.packet;

/** DCQCN: marks cut the rate by half of alpha; timers let it recover in three stages. */
final class Dcqcn extends RateControl {
    private static final long NONE = -1;

    private final State state;
    private final Flows flows;
    private final CongestionSpec.Dcqcn spec;

    private double[] alpha = {};
    private long[] target = {};
    private int[] stage = {};
    private boolean[] seen = {};
    private boolean[] markedForAlpha = {};
    private boolean[] markedForRate = {};
    private long[] alphaTimer = {};
    private long[] decreaseTimer = {};
    private long[] increaseTimer = {};

    Dcqcn(State state, CongestionSpec.Dcqcn spec) {
        this.state = state;
        this.flows = state.flows;
        this.spec = spec;
    }

    @Override
    void start(int flow) {
        alpha = FlowFigures.atLeast(alpha, flow);
        target = FlowFigures.atLeast(target, flow);
        stage = FlowFigures.atLeast(stage, flow);
        seen = FlowFigures.atLeast(seen, flow);
        markedForAlpha = FlowFigures.atLeast(markedForAlpha, flow);
        markedForRate = FlowFigures.atLeast(markedForRate, flow);
        alphaTimer = FlowFigures.atLeast(alphaTimer, flow);
        decreaseTimer = FlowFigures.atLeast(decreaseTimer, flow);
        increaseTimer = FlowFigures.atLeast(increaseTimer, flow);
        alpha[flow] = 1;
        target[flow] = flows.rate[flow];
        stage[flow] = 0;
        seen[flow] = false;
        markedForAlpha[flow] = false;
        markedForRate[flow] = false;
        complete(flow);
    }

    @Override
    void complete(int flow) {
        alphaTimer[flow] = NONE;
        decreaseTimer[flow] = NONE;
        increaseTimer[flow] = NONE;
    }

    @Override
    void acknowledged(int flow, int packet) {
        if (!state.packets.isMarked(packet) || !flows.known[flow]) {
            return;
        }
        markedForAlpha[flow] = true;
        markedForRate[flow] = true;
        if (!seen[flow]) {
            seen[flow] = true;
            alpha[flow] = 1;
            markedForAlpha[flow] = false;
            alphaTimer[flow] = plan(spec.alphaNs(), State.ALPHA, flow);
            decreaseTimer[flow] = plan(spec.decreaseNs() + 1, State.DECREASE, flow);
            target[flow] = flows.rate[flow];
        }
    }

    private long plan(long delay, int kind, int flow) {
        state.counters.periodic++;
        return state.heap.plan(state.now + delay, kind | flow);
    }

    @Override
    void timer(int kind, int flow, long stamp) {
        state.counters.periodic--;
        if (kind == State.ALPHA && alphaTimer[flow] == stamp) {
            alpha[flow] = (1 - spec.gain()) * alpha[flow] + (markedForAlpha[flow] ? spec.gain() : 0);
            markedForAlpha[flow] = false;
            alphaTimer[flow] = plan(spec.alphaNs(), State.ALPHA, flow);
        } else if (kind == State.DECREASE && decreaseTimer[flow] == stamp) {
            decreaseTimer[flow] = plan(spec.decreaseNs(), State.DECREASE, flow);
            decrease(flow);
        } else if (kind == State.INCREASE && increaseTimer[flow] == stamp) {
            increaseTimer[flow] = plan(spec.increaseNs(), State.INCREASE, flow);
            increase(flow);
        }
    }

    private void decrease(int flow) {
        if (!markedForRate[flow]) {
            return;
        }
        if (spec.clampTarget() || stage[flow] != 0) {
            target[flow] = flows.rate[flow];
        }
        flows.rate[flow] = Math.max(spec.least(), (long) (flows.rate[flow] * (1 - alpha[flow] / 2)));
        stage[flow] = 0;
        markedForRate[flow] = false;
        increaseTimer[flow] = plan(spec.increaseNs(), State.INCREASE, flow);
    }

    private void increase(int flow) {
        if (stage[flow] >= spec.recoverySteps()) {
            long step = stage[flow] == spec.recoverySteps() ? spec.additive() : spec.hyper();
            target[flow] = Math.min(flows.mostRate[flow], target[flow] + step);
        }
        flows.rate[flow] = flows.rate[flow] / 2 + target[flow] / 2;
        stage[flow]++;
    }
}
