package dev.stagesim.sim.network.packet;

import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;

/** HPCC: each acknowledgement brings the load of every hop, and the rate aims at a share of the most loaded one. */
public final class Hpcc extends RateControl {
    /** Its parameters. */
    @Variant("hpcc | HPCC: switches write their load into frames, and rates follow the fullest hop.")
    @Ns3("3")
    public record Spec(
            @Key("Utilisation aimed at. | 0.95 | >0..") @Ns3("U_TARGET | 0.95") double target,
            @Key("Additive increases before a multiplicative one. | 0 | 0..") @Ns3("MI_THRESH | 5") int stages,
            @Key("Growth per step. | 50 | Mbit/s | 0..") @Ns3("RATE_AI") double additive,
            @Key("Smallest rate. | 100 | Mbit/s | >0..") @Ns3("MIN_RATE | 100") double least,
            @Key("Whether acknowledgements within a round trip count too. | true") @Ns3("FAST_REACT | true")
                    boolean fastReact,
            @Key("Whether each hop has a rate of its own. | false") @Ns3("MULTI_RATE | true") boolean perHop,
            @Key("Whether hops without a queue are left out of fast reactions. | false") @Ns3("SAMPLE_FEEDBACK | false")
                    boolean sampled,
            @Key("Scale of the counters in telemetry. | 1 | 1..") @Ns3("INT_MULTI | 1") int multiple)
            implements CongestionSpec {
        @Override
        public int telemetryBytes() {
            return 42;
        }

        @Override
        public RateControl control(State state, FlowQueues queues) {
            return new Hpcc(state, this, queues);
        }

        @Override
        public Telemetry telemetry(State state) {
            return new HopTelemetry(state, multiple);
        }
    }

    private static final int HOPS = Packets.HOPS;
    private static final double SECONDS = 1e-9;

    private final State state;
    private final Flows flows;
    private final Spec spec;
    private final long additive;
    private final long least;
    private final RateChange change;
    private final long[] rates;

    /** By flow. */
    private long[] updated = {};

    private long[] current = {};
    private int[] stage = {};
    private double[] load = {};
    /** By flow and hop. */
    private long[] records = {};

    private double[] hopLoad = {};
    private long[] hopRate = {};
    private int[] hopStage = {};

    /** Of the acknowledgement being handled, by hop. */
    private final boolean[] isNew = new boolean[HOPS];

    private final long[] newRate = new long[HOPS];
    private final int[] newStage = new int[HOPS];
    private double largest;
    private long largestTime;

    Hpcc(State state, Spec spec, FlowQueues queues) {
        this.state = state;
        this.flows = state.flows;
        this.spec = spec;
        additive = CongestionSpec.bits(spec.additive());
        least = CongestionSpec.bits(spec.least());
        change = new RateChange(state, queues);
        rates = HopTelemetry.ratesOf(state.spec);
    }

    @Override
    void start(int flow) {
        updated = FlowFigures.atLeast(updated, flow);
        current = FlowFigures.atLeast(current, flow);
        stage = FlowFigures.atLeast(stage, flow);
        load = FlowFigures.atLeast(load, flow);
        int end = HOPS * (flow + 1);
        records = FlowFigures.atLeast(records, end);
        hopLoad = FlowFigures.atLeast(hopLoad, end);
        hopRate = FlowFigures.atLeast(hopRate, end);
        hopStage = FlowFigures.atLeast(hopStage, end);
        updated[flow] = 0;
        current[flow] = flows.rate[flow];
        stage[flow] = 0;
        load[flow] = 1;
        for (int at = HOPS * flow; at < end; at++) {
            records[at] = 0;
            hopLoad[at] = 1;
            hopRate[at] = flows.rate[flow];
            hopStage[at] = 0;
        }
    }

    @Override
    void acknowledged(int flow, int packet) {
        boolean fast = state.packets.sequence(packet) <= updated[flow];
        if (fast && !spec.fastReact()) {
            return;
        }
        int hops = state.packets.hopCount[packet];
        if (updated[flow] == 0) {
            updated[flow] = flows.nextByte[flow];
            System.arraycopy(state.packets.hops, HOPS * packet, records, HOPS * flow, Math.min(hops, HOPS));
            return;
        }
        if (hops <= HOPS) {
            react(flow, packet, hops, fast);
        }
        if (!fast && flows.nextByte[flow] > updated[flow]) {
            updated[flow] = flows.nextByte[flow];
        }
    }

    private void react(int flow, int packet, int hops, boolean fast) {
        if (!observe(flow, packet, hops, fast)) {
            return;
        }
        if (spec.perHop()) {
            long least = slowestHop(flow, hops);
            change.to(flow, least);
            if (!fast) {
                current[flow] = least;
                keepHops(flow, hops);
            }
        } else {
            long dt = Math.min(largestTime, flows.roundTrip[flow]);
            long base = flows.roundTrip[flow];
            load[flow] = (load[flow] * (base - dt) + largest * dt) / (double) base;
            double excess = load[flow] / spec.target();
            boolean cut = excess >= 1 || stage[flow] >= spec.stages();
            long rate = clamp(flow, (cut ? whole(current[flow] / excess) : current[flow]) + additive);
            change.to(flow, rate);
            if (!fast) {
                current[flow] = rate;
                stage[flow] = cut ? 0 : stage[flow] + 1;
            }
        }
    }

    /** Takes up the records of the hops; whether there was any that counts. */
    private boolean observe(int flow, int packet, int hops, boolean fast) {
        largest = 0;
        largestTime = 0;
        boolean any = false;
        for (int hop = 0; hop < hops; hop++) {
            long record = state.packets.hops[HOPS * packet + hop];
            isNew[hop] = !(spec.sampled() && fast && HopTelemetry.queue(record, spec.multiple()) == 0);
            if (!isNew[hop]) {
                continue;
            }
            any = true;
            int at = HOPS * flow + hop;
            long time = HopTelemetry.time(record, records[at]);
            double utilisation = utilisation(flow, record, records[at], time);
            if (spec.perHop()) {
                long base = flows.roundTrip[flow];
                time = Math.min(time, base);
                hopLoad[at] = (hopLoad[at] * (base - time) + utilisation * time) / (double) base;
            } else if (utilisation > largest) {
                largest = utilisation;
                largestTime = time;
            }
            records[at] = record;
        }
        return any;
    }

    private double utilisation(int flow, long record, long before, long time) {
        int multiple = spec.multiple();
        double sent = HopTelemetry.bytes(record, before, multiple) * 8 / (time * SECONDS);
        long queue = Math.min(HopTelemetry.queue(record, multiple), HopTelemetry.queue(before, multiple));
        double line = rates[HopTelemetry.code(record)];
        return sent / line + (double) queue * flows.mostRate[flow] / line / flows.window[flow];
    }

    private long slowestHop(int flow, int hops) {
        long least = flows.mostRate[flow];
        for (int hop = 0; hop < hops; hop++) {
            int at = HOPS * flow + hop;
            if (!isNew[hop]) {
                least = Math.min(least, hopRate[at]);
                continue;
            }
            double excess = hopLoad[at] / spec.target();
            boolean cut = excess >= 1 || hopStage[at] >= spec.stages();
            newRate[hop] = clamp(flow, (cut ? whole(hopRate[at] / excess) : hopRate[at]) + additive);
            newStage[hop] = cut ? 0 : hopStage[at] + 1;
            least = Math.min(least, newRate[hop]);
        }
        return least;
    }

    private void keepHops(int flow, int hops) {
        for (int hop = 0; hop < hops; hop++) {
            if (isNew[hop]) {
                hopRate[HOPS * flow + hop] = newRate[hop];
                hopStage[HOPS * flow + hop] = newStage[hop];
            }
        }
    }

    /**
     * A rate cut to whole bits per second. Without a window loads are infinite or no number; what the reference's
     * processor makes of them is 0, and more than any port has.
     */
    private static long whole(double rate) {
        if (Double.isNaN(rate)) {
            return Long.MAX_VALUE / 2;
        }
        return Double.isInfinite(rate) ? 0 : (long) rate;
    }

    private long clamp(int flow, long rate) {
        return Math.min(Math.max(rate, least), flows.mostRate[flow]);
    }
}
