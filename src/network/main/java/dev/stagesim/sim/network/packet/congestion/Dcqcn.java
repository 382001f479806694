package dev.stagesim.sim.network.packet.congestion;

import dev.stagesim.model.FormerKeys;
import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import dev.stagesim.sim.network.packet.state.FlowQueues;
import dev.stagesim.sim.network.packet.state.Ns3;
import dev.stagesim.sim.network.packet.state.RateControl;
import dev.stagesim.sim.network.packet.state.State;
import java.util.Map;

/**
 * DCQCN rate control (Zhu et al., SIGCOMM 2015). An ECN mark cuts the rate by the factor 1 - alpha/2. Timers raise it
 * again in three stages: fast recovery, additive increase, hyper increase.
 */
public final class Dcqcn extends RateControl.PerFlow<Dcqcn.Sender> {
    /** Parameters of DCQCN. */
    @Variant("dcqcn | DCQCN: ECN marks cut the rate, timers raise it again.")
    @Ns3("1")
    @FormerKeys("least=min_rate_mbps")
    public record Spec(
            @Key("Period of the updates of alpha. | 55 | us | 1..1000000000000000") @Ns3("ALPHA_RESUME_INTERVAL | 55")
                    long alphaPeriod,
            @Key("Minimum time between two cuts of the rate. | 4 | us | 1..1000000000000000")
                    @Ns3("RATE_DECREASE_INTERVAL | 4")
                    long decreasePeriod,
            @Key("Period of rate increases. | 300 | us | 1..1000000000000000") @Ns3("RP_TIMER | 0 | 0")
                    long increasePeriod,
            @Key("Weight of a new observation in alpha. | 0.00390625 | 0..1") @Ns3("EWMA_GAIN | 0") double gain,
            @Key("Increases before the target rate grows. | 5 | 0..1000000000") @Ns3("FAST_RECOVERY_TIMES | 5")
                    int recoverySteps,
            @Key("Additive increase of the target rate. | 50 | Mbit/s | 0..1000000000") @Ns3("RATE_AI") double additive,
            @Key("Hyper increase of the target rate, after the additive one. | 100 | Mbit/s | 0..1000000000")
                    @Ns3("RATE_HAI")
                    double hyper,
            @Key("Minimum rate. | 100 | Mbit/s | 0.000001..1000000000") @Ns3("MIN_RATE | 100") double minRateMbps,
            @Key("Whether every cut resets the target rate. | false") @Ns3("CLAMP_TARGET_RATE | false")
                    boolean clampTarget,
            @Key(
                            "Minimum time between two congestion notifications of a flow; 0 disables the limit. | 0 | us | 0..1000000000000000")
                    long noticePeriod,
            @Key(
                            "Delay from a marked frame to the first acknowledgement that may carry the notification. | 0 | us | 0..1000000000000000")
                    long noticeDelay)
            implements CongestionSpec {
        @Override
        public boolean isConstantWhenUncontended() {
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
            return new Dcqcn(state, queues, this);
        }

        @Override
        public Map<String, String> unsupportedKeys() {
            return increasePeriod > 0
                    ? Map.of()
                    : Map.of(
                            "RP_TIMER",
                            "RP_TIMER is missing or 0, so rates would grow without limit at one instant; expected the"
                                    + " period of increases in us");
        }
    }

    private static final long NONE = -1;
    private static final long MICRO = 1000;
    private static final int ALPHA = 0;
    private static final int DECREASE = 1;
    private static final int INCREASE = 2;

    private final Spec spec;
    private final long alphaNs;
    private final long decreaseNs;
    private final long increaseNs;
    private final long additive;
    private final long hyper;
    private final long minRate;

    /** State of one flow: target rate, marks since the last timer, and the stamps of its timers. */
    static final class Sender {
        double alpha = 1;
        long target;
        int stage;
        boolean seen;
        boolean markedForAlpha;
        boolean markedForRate;
        long alphaTimer = NONE;
        long decreaseTimer = NONE;
        long increaseTimer = NONE;
    }

    Dcqcn(State state, FlowQueues queues, Spec spec) {
        super(state, queues);
        this.spec = spec;
        alphaNs = spec.alphaPeriod() * MICRO;
        decreaseNs = spec.decreasePeriod() * MICRO;
        increaseNs = spec.increasePeriod() * MICRO;
        additive = CongestionSpec.bits(spec.additive());
        hyper = CongestionSpec.bits(spec.hyper());
        minRate = CongestionSpec.bits(spec.minRateMbps());
    }

    @Override
    protected Sender sender(long rate) {
        Sender sender = new Sender();
        sender.target = rate;
        return sender;
    }

    @Override
    public void complete(int flow) {
        Sender sender = of(flow);
        sender.alphaTimer = NONE;
        sender.decreaseTimer = NONE;
        sender.increaseTimer = NONE;
    }

    @Override
    protected void acknowledged(Sender sender, int flow, int packet) {
        if (!state.packets.isMarked(packet) || !flows.active[flow]) {
            return;
        }
        sender.markedForAlpha = true;
        sender.markedForRate = true;
        if (!sender.seen) {
            sender.seen = true;
            sender.alpha = 1;
            sender.markedForAlpha = false;
            sender.alphaTimer = plan(alphaNs, ALPHA, flow);
            sender.decreaseTimer = plan(decreaseNs + 1, DECREASE, flow);
            sender.target = flows.rate[flow];
        }
    }

    @Override
    public void timer(int timer, int flow, long stamp) {
        Sender sender = of(flow);
        if (timer == ALPHA && sender.alphaTimer == stamp) {
            sender.alpha = (1 - spec.gain()) * sender.alpha + (sender.markedForAlpha ? spec.gain() : 0);
            sender.markedForAlpha = false;
            sender.alphaTimer = plan(alphaNs, ALPHA, flow);
        } else if (timer == DECREASE && sender.decreaseTimer == stamp) {
            sender.decreaseTimer = plan(decreaseNs, DECREASE, flow);
            decrease(sender, flow);
        } else if (timer == INCREASE && sender.increaseTimer == stamp) {
            sender.increaseTimer = plan(increaseNs, INCREASE, flow);
            increase(sender, flow);
        }
    }

    private void decrease(Sender sender, int flow) {
        if (!sender.markedForRate) {
            return;
        }
        if (spec.clampTarget() || sender.stage != 0) {
            sender.target = flows.rate[flow];
        }
        flows.rate[flow] = Math.max(minRate, (long) (flows.rate[flow] * (1 - sender.alpha / 2)));
        sender.stage = 0;
        sender.markedForRate = false;
        sender.increaseTimer = plan(increaseNs, INCREASE, flow);
    }

    private void increase(Sender sender, int flow) {
        if (sender.stage >= spec.recoverySteps()) {
            long step = sender.stage == spec.recoverySteps() ? additive : hyper;
            sender.target = Math.min(flows.maxRate[flow], sender.target + step);
        }
        flows.rate[flow] = flows.rate[flow] / 2 + sender.target / 2;
        sender.stage++;
    }
}
