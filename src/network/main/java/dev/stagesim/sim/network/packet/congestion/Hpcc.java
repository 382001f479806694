package dev.stagesim.sim.network.packet.congestion;

import dev.stagesim.model.FormerKeys;
import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import dev.stagesim.sim.network.packet.state.FlowQueues;
import dev.stagesim.sim.network.packet.state.Ns3;
import dev.stagesim.sim.network.packet.state.PacketSpec;
import dev.stagesim.sim.network.packet.state.Packets;
import dev.stagesim.sim.network.packet.state.RateControl;
import dev.stagesim.sim.network.packet.state.State;
import dev.stagesim.sim.network.packet.state.Telemetry;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.IntSupplier;

/**
 * HPCC rate control (Li et al., SIGCOMM 2019). Each acknowledgement carries in-band network telemetry (INT) of every
 * hop. The rate follows the utilisation of the most loaded hop towards a target.
 */
public final class Hpcc extends RateControl.PerFlow<Hpcc.Sender> {
    /** Parameters of HPCC. */
    @Variant("hpcc | HPCC: switches write their load into frames (INT), and rates follow the most loaded hop.")
    @Ns3("3")
    @FormerKeys("least=min_rate_mbps")
    public record Spec(
            @Key("Target utilisation. | 0.95 | 0.000001..1000000") @Ns3("U_TARGET | 0.95") double target,
            @Key("Additive increases before a multiplicative one. | 0 | 0..1000000000") @Ns3("MI_THRESH | 5")
                    int stages,
            @Key("Additive increase per step. | 50 | Mbit/s | 0..1000000000") @Ns3("RATE_AI") double additive,
            @Key("Minimum rate. | 100 | Mbit/s | 0.000001..1000000000") @Ns3("MIN_RATE | 100") double minRateMbps,
            @Key("Whether acknowledgements within an RTT count too. | true") @Ns3("FAST_REACT | true")
                    boolean fastReact,
            @Key("Whether each hop has a separate rate. | false") @Ns3("MULTI_RATE | true") boolean perHop,
            @Key("Whether fast reactions ignore hops without a queue. | false") @Ns3("SAMPLE_FEEDBACK | false")
                    boolean sampled,
            @Key("Scale of the counters in telemetry. | 1 | 1..1000000000") @Ns3("INT_MULTI | 1") int multiple)
            implements CongestionSpec {
        @Override
        public int telemetryBytes() {
            return 42;
        }

        @Override
        public RateControl control(State state, FlowQueues queues) {
            return new Hpcc(state, queues, this);
        }

        @Override
        public Telemetry telemetry(State state) {
            return new HopTelemetry(state, multiple);
        }

        @Override
        public int carriedWords() {
            return HopTelemetry.WORDS;
        }

        @Override
        public void check(PacketSpec spec, IntSupplier maxSwitches, Consumer<String> refuse) {
            if (spec.paths().spray()) {
                refuse.accept("which compares the hops of consecutive frames; set spray=false");
            }
            if (!spec.transport().window()) {
                refuse.accept("which divides by the window; set transport.window=true (HAS_WIN)");
            }
            int rates = HopTelemetry.ratesOf(spec).length;
            if (rates > HopTelemetry.MAX_RATES) {
                refuse.accept("but its telemetry distinguishes " + HopTelemetry.MAX_RATES
                        + " rates of cables, and the topology has " + rates);
            }
            int max = maxSwitches.getAsInt();
            if (max > HOPS) {
                refuse.accept("but its telemetry has room for " + HOPS + " switches per path, and some paths have "
                        + max + ", so their rates would never change");
            }
        }
    }

    private static final int HOPS = HopTelemetry.HOPS;
    private static final double SECONDS = 1e-9;

    private final Spec spec;
    private final long additive;
    private final long minRate;
    private final long[] rates;

    /** State of one flow and of each hop on its path. */
    static final class Sender {
        long updated;
        long current;
        int stage;
        double load = 1;
        final long[] records = new long[HOPS];
        final double[] hopLoad = new double[HOPS];
        final long[] hopRate = new long[HOPS];
        final int[] hopStage = new int[HOPS];
    }

    /** Results for the current acknowledgement, by hop. */
    private final boolean[] isNew = new boolean[HOPS];

    private final long[] newRate = new long[HOPS];
    private final int[] newStage = new int[HOPS];
    private double largest;
    private long largestTime;

    Hpcc(State state, FlowQueues queues, Spec spec) {
        super(state, queues);
        this.spec = spec;
        additive = CongestionSpec.bits(spec.additive());
        minRate = CongestionSpec.bits(spec.minRateMbps());
        rates = HopTelemetry.ratesOf(state.spec);
    }

    @Override
    protected Sender sender(long rate) {
        Sender sender = new Sender();
        sender.current = rate;
        Arrays.fill(sender.hopLoad, 1);
        Arrays.fill(sender.hopRate, rate);
        return sender;
    }

    @Override
    protected void acknowledged(Sender sender, int flow, int packet) {
        boolean fast = state.packets.sequence(packet) <= sender.updated;
        if (fast && !spec.fastReact()) {
            return;
        }
        long[] carried = state.packets.carried;
        int at = HopTelemetry.WORDS * packet;
        int hops = (int) carried[at];
        if (sender.updated == 0) {
            sender.updated = flows.nextByte[flow];
            System.arraycopy(carried, at + 1, sender.records, 0, Math.min(hops, HOPS));
            return;
        }
        if (hops <= HOPS) {
            react(sender, flow, packet, hops, fast);
        }
        if (!fast && flows.nextByte[flow] > sender.updated) {
            sender.updated = flows.nextByte[flow];
        }
    }

    private void react(Sender sender, int flow, int packet, int hops, boolean fast) {
        if (!observe(sender, flow, packet, hops, fast)) {
            return;
        }
        if (spec.perHop()) {
            long slowest = slowestHop(sender, flow, hops);
            change(flow, slowest);
            if (!fast) {
                sender.current = slowest;
                keepHops(sender, hops);
            }
        } else {
            long dt = Math.min(largestTime, flows.roundTrip[flow]);
            long base = flows.roundTrip[flow];
            sender.load = (sender.load * (base - dt) + largest * dt) / (double) base;
            double excess = sender.load / spec.target();
            boolean cut = excess >= 1 || sender.stage >= spec.stages();
            long rate = clamp(flow, (cut ? whole(sender.current / excess) : sender.current) + additive);
            change(flow, rate);
            if (!fast) {
                sender.current = rate;
                sender.stage = cut ? 0 : sender.stage + 1;
            }
        }
    }

    /** Processes the telemetry of the hops. Returns true if at least one record counts. */
    private boolean observe(Sender sender, int flow, int packet, int hops, boolean fast) {
        largest = 0;
        largestTime = 0;
        boolean any = false;
        for (int hop = 0; hop < hops; hop++) {
            long record = state.packets.carried[HopTelemetry.WORDS * packet + 1 + hop];
            isNew[hop] = !(spec.sampled() && fast && HopTelemetry.queue(record, spec.multiple()) == 0);
            if (!isNew[hop]) {
                continue;
            }
            any = true;
            long time = HopTelemetry.time(record, sender.records[hop]);
            double utilisation = utilisation(flow, record, sender.records[hop], time);
            if (spec.perHop()) {
                long base = flows.roundTrip[flow];
                time = Math.min(time, base);
                sender.hopLoad[hop] = (sender.hopLoad[hop] * (base - time) + utilisation * time) / (double) base;
            } else if (utilisation > largest) {
                largest = utilisation;
                largestTime = time;
            }
            sender.records[hop] = record;
        }
        return any;
    }

    private double utilisation(int flow, long record, long before, long time) {
        int multiple = spec.multiple();
        double sent = HopTelemetry.bytes(record, before, multiple) * 8 / (time * SECONDS);
        long queue = Math.min(HopTelemetry.queue(record, multiple), HopTelemetry.queue(before, multiple));
        double line = rates[HopTelemetry.code(record)];
        return sent / line + (double) queue * flows.maxRate[flow] / line / flows.window[flow];
    }

    private long slowestHop(Sender sender, int flow, int hops) {
        long min = flows.maxRate[flow];
        for (int hop = 0; hop < hops; hop++) {
            if (!isNew[hop]) {
                min = Math.min(min, sender.hopRate[hop]);
                continue;
            }
            double excess = sender.hopLoad[hop] / spec.target();
            boolean cut = excess >= 1 || sender.hopStage[hop] >= spec.stages();
            newRate[hop] = clamp(flow, (cut ? whole(sender.hopRate[hop] / excess) : sender.hopRate[hop]) + additive);
            newStage[hop] = cut ? 0 : sender.hopStage[hop] + 1;
            min = Math.min(min, newRate[hop]);
        }
        return min;
    }

    private void keepHops(Sender sender, int hops) {
        for (int hop = 0; hop < hops; hop++) {
            if (isNew[hop]) {
                sender.hopRate[hop] = newRate[hop];
                sender.hopStage[hop] = newStage[hop];
            }
        }
    }

    /**
     * Truncates a rate to whole bits per second. Without a window, utilisation can be infinite or NaN; the reference's
     * processor converts these to 0 and to a value above any port rate.
     */
    private static long whole(double rate) {
        if (Double.isNaN(rate)) {
            return Long.MAX_VALUE / 2;
        }
        return Double.isInfinite(rate) ? 0 : (long) rate;
    }

    private long clamp(int flow, long rate) {
        return Math.min(Math.max(rate, minRate), flows.maxRate[flow]);
    }

    /**
     * Telemetry with one record per hop: time, sent bytes, queue length, and the port rate as a code.
     *
     * <p>From the low end: 24 bits of ns, 20 bits of sent bytes in units of 128, 17 bits of queued bytes in units of
     * 80, and a 3-bit rate code. The reference has codes for seven rates. If a topology has another rate, all of its
     * rates get new codes.
     */
    private static final class HopTelemetry extends Telemetry {
        /** Maximum number of hops with telemetry in a frame. */
        static final int HOPS = 5;

        /** Words per frame: the number of records written so far, and the records. */
        static final int WORDS = 1 + HOPS;

        /** Maximum number of distinct rates of a topology with a rate that the reference does not have. */
        static final int MAX_RATES = 8;

        private static final long[] RATES = {
            25_000_000_000L,
            50_000_000_000L,
            100_000_000_000L,
            200_000_000_000L,
            400_000_000_000L,
            1_200_000_000_000L,
            2_400_000_000_000L
        };
        private static final int TIME_BITS = 24;
        private static final int BYTES_BITS = 20;
        private static final int QUEUE_BITS = 17;
        private static final long TIME_MASK = (1L << TIME_BITS) - 1;
        private static final long BYTES_MASK = (1L << BYTES_BITS) - 1;
        private static final long QUEUE_MASK = (1L << QUEUE_BITS) - 1;
        private static final int QUEUE_SHIFT = TIME_BITS + BYTES_BITS;
        private static final int RATE_SHIFT = QUEUE_SHIFT + QUEUE_BITS;
        private static final int BYTES_UNIT = 128;
        private static final int QUEUE_UNIT = 80;

        private final State state;
        private final int multiple;
        private final long[] rates;
        private final int[] codes;

        HopTelemetry(State state, int multiple) {
            this.state = state;
            this.multiple = multiple;
            rates = ratesOf(state.spec);
            codes = new int[state.ports.count];
            for (int port = 0; port < codes.length; port++) {
                codes[port] = code(rates, state.ports.rate[port]);
            }
        }

        /** Rates by code: the reference's table, unless the topology has a rate outside it. */
        static long[] ratesOf(PacketSpec spec) {
            long[] all = spec.topology().rates();
            boolean areKnown = Arrays.stream(all).allMatch(rate -> code(RATES, rate) >= 0);
            return areKnown || spec.asReference() ? RATES : all;
        }

        private static int code(long[] rates, long rate) {
            for (int code = 0; code < rates.length; code++) {
                if (rates[code] == rate) {
                    return code;
                }
            }
            return -1;
        }

        @Override
        public void leave(int port, int packet) {
            Packets packets = state.packets;
            if (packets.kind(packet) != Packets.DATA) {
                return;
            }
            long[] carried = packets.carried;
            int at = WORDS * packet + 1 + (int) (carried[WORDS * packet]++ % HOPS);
            // A rate without a code leaves the code of the previous record in place.
            long code = codes[port] >= 0 ? codes[port] : carried[at] >>> RATE_SHIFT;
            long sent = (state.ports.sentBytes[port] / ((long) BYTES_UNIT * multiple)) & BYTES_MASK;
            long queued = (state.ports.waiting[port] / ((long) QUEUE_UNIT * multiple)) & QUEUE_MASK;
            carried[at] =
                    (state.now & TIME_MASK) | (sent << TIME_BITS) | (queued << QUEUE_SHIFT) | (code << RATE_SHIFT);
        }

        /** Time between two records in ns. */
        static long time(long later, long earlier) {
            return (later - earlier) & TIME_MASK;
        }

        /** Bytes sent between two records. */
        static long bytes(long later, long earlier, int multiple) {
            return (((later >>> TIME_BITS) - (earlier >>> TIME_BITS)) & BYTES_MASK) * BYTES_UNIT * multiple;
        }

        /** Queued bytes of a record. */
        static long queue(long record, int multiple) {
            return ((record >>> QUEUE_SHIFT) & QUEUE_MASK) * QUEUE_UNIT * multiple;
        }

        /** Rate code of a record. */
        static int code(long record) {
            return (int) (record >>> RATE_SHIFT);
        }
    }
}
