package dev.stagesim.sim.network.packet;

import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;

/** DCQCN: marks cut the rate by half of alpha; timers let it recover in three stages. */
public final class Dcqcn extends RateControl {
    /** Its parameters. */
    @Variant("dcqcn | DCQCN: marks cut the rate, timers let it recover.")
    @Ns3("1")
    public record Spec(
            @Key("Period in which alpha is renewed. | 55 | us | 1..") @Ns3("ALPHA_RESUME_INTERVAL | 55")
                    long alphaPeriod,
            @Key("Period in which the rate may be cut. | 4 | us | 1..") @Ns3("RATE_DECREASE_INTERVAL | 4")
                    long decreasePeriod,
            @Key("Period of increases. | 300 | us | 1..") @Ns3("RP_TIMER | 0 | 0") long increasePeriod,
            @Key("Weight of a new observation in alpha. | 0.00390625 | 0..1") @Ns3("EWMA_GAIN | 0") double gain,
            @Key("Increases before the target itself grows. | 5 | 0..") @Ns3("FAST_RECOVERY_TIMES | 5")
                    int recoverySteps,
            @Key("Growth of the target. | 50 | Mbit/s | 0..") @Ns3("RATE_AI") double additive,
            @Key("Growth of the target after that. | 100 | Mbit/s | 0..") @Ns3("RATE_HAI") double hyper,
            @Key("Smallest rate. | 100 | Mbit/s | >0..") @Ns3("MIN_RATE | 100") double least,
            @Key("Whether every cut sets the target back. | false") @Ns3("CLAMP_TARGET_RATE | false")
                    boolean clampTarget,
            @Key("Least time between two notices of marks that a receiver gives a flow; 0 for none. | 0 | us | 0..")
                    long noticePeriod,
            @Key("From a mark to the first acknowledgement that may carry the notice. | 0 | us | 0..") long noticeDelay)
            implements CongestionSpec {
        @Override
        public boolean isCalm() {
            return true;
        }

        @Override
        public long noticePeriodNs() {
            return noticePeriod * MICRO;
        }

        @Override
        public long noticeDelayNs() {
            return noticeDelay * MICRO;
        }

        @Override
        public RateControl control(State state, FlowQueues queues) {
            return new Dcqcn(state, this);
        }
    }

    private static final long NONE = -1;
    private static final long MICRO = 1000;

    private final State state;
    private final Flows flows;
    private final Spec spec;
    private final long alphaNs;
    private final long decreaseNs;
    private final long increaseNs;
    private final long additive;
    private final long hyper;
    private final long least;

    private double[] alpha = {};
    private long[] target = {};
    private int[] stage = {};
    private boolean[] seen = {};
    private boolean[] markedForAlpha = {};
    private boolean[] markedForRate = {};
    private long[] alphaTimer = {};
    private long[] decreaseTimer = {};
    private long[] increaseTimer = {};

    Dcqcn(State state, Spec spec) {
        this.state = state;
        this.flows = state.flows;
        this.spec = spec;
        alphaNs = spec.alphaPeriod() * MICRO;
        decreaseNs = spec.decreasePeriod() * MICRO;
        increaseNs = spec.increasePeriod() * MICRO;
        additive = CongestionSpec.bits(spec.additive());
        hyper = CongestionSpec.bits(spec.hyper());
        least = CongestionSpec.bits(spec.least());
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
            alphaTimer[flow] = plan(alphaNs, State.ALPHA, flow);
            decreaseTimer[flow] = plan(decreaseNs + 1, State.DECREASE, flow);
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
            alphaTimer[flow] = plan(alphaNs, State.ALPHA, flow);
        } else if (kind == State.DECREASE && decreaseTimer[flow] == stamp) {
            decreaseTimer[flow] = plan(decreaseNs, State.DECREASE, flow);
            decrease(flow);
        } else if (kind == State.INCREASE && increaseTimer[flow] == stamp) {
            increaseTimer[flow] = plan(increaseNs, State.INCREASE, flow);
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
        flows.rate[flow] = Math.max(least, (long) (flows.rate[flow] * (1 - alpha[flow] / 2)));
        stage[flow] = 0;
        markedForRate[flow] = false;
        increaseTimer[flow] = plan(increaseNs, State.INCREASE, flow);
    }

    private void increase(int flow) {
        if (stage[flow] >= spec.recoverySteps()) {
            long step = stage[flow] == spec.recoverySteps() ? additive : hyper;
            target[flow] = Math.min(flows.mostRate[flow], target[flow] + step);
        }
        flows.rate[flow] = flows.rate[flow] / 2 + target[flow] / 2;
        stage[flow]++;
    }
}
