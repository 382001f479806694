package dev.stagesim.sim.network.packet.congestion;

import dev.stagesim.model.FormerKeys;
import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import dev.stagesim.sim.network.packet.random.CRandom;
import dev.stagesim.sim.network.packet.state.FlowQueues;
import dev.stagesim.sim.network.packet.state.Ns3;
import dev.stagesim.sim.network.packet.state.Packets;
import dev.stagesim.sim.network.packet.state.RateControl;
import dev.stagesim.sim.network.packet.state.State;
import dev.stagesim.sim.network.packet.state.Telemetry;

/**
 * HPCC with probabilistic INT (PINT, Ben Basat et al., SIGCOMM 2020): each frame returns one compressed utilisation.
 */
public final class HpccPint extends RateControl.PerFlow<HpccPint.Sender> {
    /** Parameters of HPCC-PINT. */
    @Variant("hpcc_pint | HPCC with probabilistic INT: one utilisation per frame, rounded at random to a power.")
    @Ns3("10")
    @FormerKeys("least=min_rate_mbps")
    public record Spec(
            @Key("Target utilisation. | 0.95 | 0.000001..1000000") @Ns3("U_TARGET | 0.95") double target,
            @Key("Additive increases before a multiplicative one. | 0 | 0..1000000000") @Ns3("MI_THRESH | 5")
                    int stages,
            @Key("Additive increase per step. | 50 | Mbit/s | 0..1000000000") @Ns3("RATE_AI") double additive,
            @Key("Minimum rate. | 100 | Mbit/s | 0.000001..1000000000") @Ns3("MIN_RATE | 100") double minRateMbps,
            @Key("Base of the powers. | 1.05 | >1..1000000") @Ns3("PINT_LOG_BASE | 1.05") double base,
            @Key("Share of the acknowledgements that are evaluated. | 1 | 0..1") @Ns3("PINT_PROB | 1")
                    double probability)
            implements CongestionSpec {
        @Override
        public int telemetryBytes() {
            return 2;
        }

        @Override
        public RateControl control(State state, FlowQueues queues) {
            return new HpccPint(state, queues, this);
        }

        @Override
        public Telemetry telemetry(State state) {
            return new PowerTelemetry(state, base, state.libraryRandom);
        }

        @Override
        public int carriedWords() {
            return 1;
        }
    }

    private static final int RANDOM_RANGE = 65536;

    private final Spec spec;
    private final long additive;
    private final long minRate;
    private final CRandom random;
    private final long counted;

    /** State of one flow. */
    static final class Sender {
        long updated;
        long current;
        int stage;
    }

    HpccPint(State state, FlowQueues queues, Spec spec) {
        super(state, queues);
        this.spec = spec;
        additive = CongestionSpec.bits(spec.additive());
        minRate = CongestionSpec.bits(spec.minRateMbps());
        this.random = state.libraryRandom;
        counted = (long) (RANDOM_RANGE * spec.probability());
    }

    @Override
    protected Sender sender(long rate) {
        Sender sender = new Sender();
        sender.current = rate;
        return sender;
    }

    @Override
    protected void acknowledged(Sender sender, int flow, int packet) {
        if (random.next() % RANDOM_RANGE >= counted) {
            return;
        }
        boolean fast = state.packets.sequence(packet) <= sender.updated;
        if (sender.updated == 0) {
            sender.updated = flows.nextByte[flow];
            return;
        }
        double excess = PowerTelemetry.decode(spec.base(), (int) state.packets.carried[packet]) / spec.target();
        boolean cut = excess >= 1 || sender.stage >= spec.stages();
        long rate = (cut ? (long) (sender.current / excess) : sender.current) + additive;
        rate = Math.min(Math.max(rate, minRate), flows.maxRate[flow]);
        change(flow, rate);
        if (!fast) {
            sender.current = rate;
            sender.stage = cut ? 0 : sender.stage + 1;
            sender.updated = Math.max(sender.updated, flows.nextByte[flow]);
        }
    }

    /**
     * Maximum utilisation on the path, encoded as a power of a base. Logarithms have few digits and are rounded at
     * random, as in a programmable switch.
     */
    private static final class PowerTelemetry extends Telemetry {
        private static final double UNITS = 512;
        private static final int KEPT_BITS = 16;
        private static final double SCALE = 1 << 15;
        private static final double LOAD_UNITS = 8192;
        private static final int QUEUE_SHIFT = 8;
        private static final int QUEUE_UNITS = 1 << QUEUE_SHIFT;
        private static final int RANDOM_RANGE = 65536;

        private final State state;
        private final CRandom random;
        private final double base;
        private final double perLog;
        private final long longest;
        private final double logLongest;
        private final double logNanos = log2(1e9) * SCALE;
        private final long[] lastAt;
        private final int[] lastSize;
        private final double[] load;

        PowerTelemetry(State state, double base, CRandom random) {
            this.state = state;
            this.random = random;
            this.base = base;
            perLog = 1 / Math.log(base);
            longest = state.routes.longestRoundTrip();
            logLongest = log2(longest) * SCALE;
            lastAt = new long[state.ports.count];
            lastSize = new int[state.ports.count];
            load = new double[state.ports.count];
        }

        /** Decodes a power to a utilisation. */
        static double decode(double base, int power) {
            return StrictMath.pow(base, power) / UNITS;
        }

        @Override
        public void leave(int port, int packet) {
            Packets packets = state.packets;
            if (packets.kind(packet) == Packets.DATA) {
                double now = load(port);
                int power = encode(now);
                packets.carried[packet] = Math.max(packets.carried[packet], power);
                load[port] = now;
            }
            lastSize[port] = packets.size(packet);
            lastAt[port] = state.now;
        }

        private double load(int port) {
            long since = Math.min(state.now - lastAt[port], longest);
            long bytesPerSecond = state.ports.rate[port] / Byte.SIZE;
            double logRate = log2((double) bytesPerSecond) * SCALE;
            long queued = state.ports.waiting[port];
            double sum = 0;
            if (queued >> QUEUE_SHIFT > 0) {
                int logSince = coarseLog((int) since);
                int logQueue = coarseLog((int) (queued >> QUEUE_SHIFT));
                sum = StrictMath.pow(2, (logSince + logQueue + logNanos - logRate - 2 * logLongest) / SCALE)
                        * QUEUE_UNITS;
            }
            if (lastSize[port] > 0) {
                int logBytes = coarseLog(lastSize[port]);
                sum += StrictMath.pow(2, (logBytes + logNanos - logRate - logLongest) / SCALE);
            }
            if (longest > since && load[port] > 0) {
                int logRest = coarseLog((int) (longest - since));
                int logLoad = coarseLog((int) Math.floor(load[port] * LOAD_UNITS + 0.5));
                sum += StrictMath.pow(2, (logRest + logLoad - logLongest) / SCALE) / LOAD_UNITS;
            }
            return sum;
        }

        private int encode(double utilisation) {
            long units = Math.max(1, (long) Math.ceil(utilisation * UNITS));
            double power = StrictMath.log((double) units) * perLog;
            int above = (int) Math.ceil(power);
            int below = (int) Math.floor(power);
            double high = StrictMath.pow(base, above);
            double low = StrictMath.pow(base, below);
            if (above == below) {
                high *= base;
            }
            return random.next() % RANDOM_RANGE < (units - low) / (high - low) * RANDOM_RANGE ? above : below;
        }

        /**
         * Logarithm of x truncated to a few leading bits and rounded at random, in units of 2^-15; 0 maps to the
         * minimum int.
         */
        private int coarseLog(int x) {
            int bits = x == 0 ? 0 : Integer.SIZE - Integer.numberOfLeadingZeros(x);
            int kept = x;
            if (bits > KEPT_BITS) {
                int mask = (1 << (bits - KEPT_BITS)) - 1;
                kept = x & ~mask;
                if ((x & mask) > (random.next() & mask)) {
                    kept += mask + 1;
                }
            }
            return kept == 0 ? Integer.MIN_VALUE : (int) (log2(kept) * SCALE);
        }

        private static double log2(double x) {
            if (x > 0 && x == Math.scalb(1.0, Math.getExponent(x))) {
                return Math.getExponent(x);
            }
            return StrictMath.log(x) / StrictMath.log(2);
        }
    }
}
