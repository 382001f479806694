package dev.stagesim.sim.training;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.stats.StudentT;

/**
 * Devices and links of a training cluster.
 *
 * @param name name of the device
 * @param peak16 dense 16-bit peak, FLOP/s
 * @param peak8 dense 8-bit peak, FLOP/s; 0 if unsupported
 * @param peak4 dense 4-bit peak, FLOP/s; 0 if unsupported
 * @param bandwidth memory bandwidth, bytes/s
 * @param memory usable memory, bytes
 * @param generation efficiency relative to the peaks
 * @param domain devices connected by the fast link
 * @param link fast link per device and direction, bytes/s
 * @param nodeSize devices per host
 * @param network network per device and direction, bytes/s
 * @param spread standard deviation of the devices' step times, as a share of the mean
 */
public record TrainingMachine(
        String name,
        double peak16,
        double peak8,
        double peak4,
        double bandwidth,
        double memory,
        Generation generation,
        int domain,
        double link,
        int nodeSize,
        double network,
        double spread) {
    /**
     * Efficiency of a generation of devices in long training runs, relative to its peaks. The values are set per
     * generation from published steps of many models, not per model, device or software; see specs/training-planner.md.
     *
     * @param product16 16-bit products
     * @param product8 8-bit products
     * @param product4 4-bit products
     * @param attention fused attention with a head width of 128, relative to the 16-bit peak
     * @param exponents time of exponentials relative to the time of products, for a head width of 128
     * @param multiprocessors multiprocessors per device
     * @param watts board power at which these efficiencies are reached
     */
    record Generation(
            double product16,
            double product8,
            double product4,
            double attention,
            double exponents,
            int multiprocessors,
            double watts) {
        static final Generation VOLTA = new Generation(0.60, 0, 0, 0.30, 0.125, 80, 300);
        static final Generation AMPERE = new Generation(0.72, 0, 0, 0.55, 0.25, 108, 400);
        static final Generation HOPPER = new Generation(0.64, 0.55, 0, 0.55, 0.5, 132, 700);
        static final Generation BLACKWELL = new Generation(0.47, 0.46, 0.40, 0.38, 1, 148, 1200);
        /** Twice the rate of exponentials, which reduces the time of attention by a quarter. */
        static final Generation BLACKWELL_ULTRA = new Generation(0.47, 0.46, 0.40, 0.507, 0.5, 148, 1200);
        /** Generations without published steps. */
        static final Generation OTHER = new Generation(0.60, 0.50, 0.40, 0.45, 0.5, 128, 700);

        private Generation at(double clock) {
            return new Generation(
                    product16 * clock,
                    product8 * clock,
                    product4 * clock,
                    attention * clock,
                    exponents,
                    multiprocessors,
                    watts);
        }
    }

    private static final double GIGA = 1e9;
    private static final double GIB = 1L << 30;
    private static final double TERA = 1e12;
    private static final int NODE = 8;
    private static final int NEARLY_NORMAL = 100_000;
    private static final double HEAD = 128;
    private static final double MIN_CLOCK = 0.7;
    private static final double MAX_CLOCK = 1.1;

    /**
     * Returns the device and the links of a hardware card.
     *
     * @throws StageException (input) if the card lacks a required rate
     */
    public static TrainingMachine of(HardwareCard card) {
        double peak16 = TERA
                * card.bf16OrFp16Tflops()
                        .orElseThrow(() -> StageException.input(Problem.config(
                                "hardware.bf16_tflops", "the card " + card.name() + " does not state it")));
        Generation generation = generation(card.device().generation());
        // Long sequences of products are limited by power; the clock is proportional to its square root.
        double clock = card.costs()
                .powerW()
                .map(power -> Math.sqrt(power / generation.watts()))
                .map(share -> Math.max(MIN_CLOCK, Math.min(MAX_CLOCK, share)))
                .orElse(1.0);
        return new TrainingMachine(
                card.name(),
                peak16,
                TERA * card.rates().fp8Tflops().orElse(0.0),
                TERA * card.rates().fp4Tflops().orElse(0.0),
                GIGA * card.statedMemBwGbs(),
                GIB * card.usableMemGib(),
                generation.at(clock),
                domain(card),
                GIGA
                        * (card.scaleup().scaleupUniGbs() > 0
                                ? card.scaleup().scaleupUniGbs()
                                : card.host().hostUniGbs().orElse(0.0)),
                Math.min(NODE, Math.max(1, card.scaleup().scaleupDomain().orElse(NODE))),
                GIGA / NODE * card.host().nicGbpsPerAccelTyp().orElse(0.0),
                0);
    }

    /** Returns the number of devices connected by the scale-up link, or otherwise by the host's link. */
    private static int domain(HardwareCard card) {
        if (card.scaleup().scaleupUniGbs() > 0) {
            return Math.max(1, card.scaleup().scaleupDomain().orElse(1));
        }
        return card.host().hostUniGbs().orElse(0.0) > 0
                ? Math.max(1, card.scaleup().scaleupDomain().orElse(NODE))
                : 1;
    }

    /** Returns true if devices are connected by a fast link. */
    public boolean hasLink() {
        return link > 0;
    }

    private static Generation generation(String name) {
        String first = name.split(" ", 2)[0];
        return switch (first) {
            case "Volta" -> Generation.VOLTA;
            case "Ampere" -> Generation.AMPERE;
            case "Hopper" -> Generation.HOPPER;
            case "Blackwell" -> name.contains("Ultra") ? Generation.BLACKWELL_ULTRA : Generation.BLACKWELL;
            default -> Generation.OTHER;
        };
    }

    /** Returns a copy with a different network bandwidth per device. */
    public TrainingMachine network(double bytesPerSecond) {
        return new TrainingMachine(
                name,
                peak16,
                peak8,
                peak4,
                bandwidth,
                memory,
                generation,
                domain,
                link,
                nodeSize,
                bytesPerSecond,
                spread);
    }

    /** Returns a copy with a fast domain of {@code devices} devices. */
    public TrainingMachine domain(int devices) {
        int host = Math.min(NODE, devices);
        return new TrainingMachine(
                name, peak16, peak8, peak4, bandwidth, memory, generation, devices, link, host, network, spread);
    }

    /** Returns a copy with compute and memory rates multiplied by the given factors. */
    public TrainingMachine slowed(double compute, double memoryShare) {
        return new TrainingMachine(
                name,
                peak16 * compute,
                peak8 * compute,
                peak4 * compute,
                bandwidth * memoryShare,
                memory,
                generation,
                domain,
                link,
                nodeSize,
                network,
                spread);
    }

    /** Returns a copy with the efficiency of products and attention multiplied by {@code factor}. */
    public TrainingMachine withEfficiencyFactor(double factor) {
        return new TrainingMachine(
                name,
                peak16,
                peak8,
                peak4,
                bandwidth,
                memory,
                generation.at(factor),
                domain,
                link,
                nodeSize,
                network,
                spread);
    }

    /** Returns a copy with the given standard deviation of step times, as a share of their mean. */
    public TrainingMachine spread(double share) {
        return new TrainingMachine(
                name, peak16, peak8, peak4, bandwidth, memory, generation, domain, link, nodeSize, network, share);
    }

    /**
     * Returns the slowdown of a step due to varying device speed. The step waits for the slowest of n devices, whose
     * expected time is the quantile (n - 3/8) / (n + 1/4) of the distribution (Blom).
     */
    public double slowest(int devices) {
        return spread == 0 ? 1 : 1 + spread * StudentT.quantile((devices - 0.375) / (devices + 0.25), NEARLY_NORMAL);
    }

    /** Returns the factor with which products of the precision, or attention, would reach the peak. */
    double maxEfficiencyFactor(Precision precision) {
        double product = productRate(precision) / peak(precision);
        return 1 / Math.max(product, generation.attention());
    }

    /** Matrix precisions. */
    public enum Precision {
        BITS16(0, 1),
        /** 8 bits with one scale per tensor, taken from previous steps. */
        BITS8(4, 0.5),
        /** 8 bits with one scale per tensor, computed in a separate pass before the cast. */
        BITS8_TENSOR(6, 0.5),
        /**
         * 8 bits with one scale per row, and per column of the transposed operand. Tensor-parallel members gather
         * 16-bit values.
         */
        BITS8_ROW(8, 1),
        /** 8 bits with one scale per block of 32. */
        BITS8_BLOCK(4, 0.53),
        BITS4(3.2, 0.28);

        private final double cast;
        private final double gathered;

        Precision(double cast, double gathered) {
            this.cast = cast;
            this.gathered = gathered;
        }

        /** Returns the memory traffic in bytes per value to cast an operand and its transpose. */
        double cast() {
            return cast;
        }

        /** Returns the bytes of a gathered operand with its scales, relative to 16-bit values. */
        double gathered() {
            return gathered;
        }
    }

    /** Returns the sustained rate of products in FLOP/s. */
    double productRate(Precision precision) {
        return switch (precision) {
            case BITS16 -> peak16 * generation.product16();
            case BITS8, BITS8_TENSOR, BITS8_ROW, BITS8_BLOCK ->
                peak8 > 0 ? peak8 * generation.product8() : peak16 * generation.product16();
            case BITS4 -> peak4 > 0 ? peak4 * generation.product4() : productRate(Precision.BITS8);
        };
    }

    /**
     * Returns the sustained rate of fused attention in FLOP/s. Products per score are proportional to the head width,
     * exponentials are not, so exponentials limit narrow heads. Heads wider than 128 gain nothing because their tiles
     * are smaller.
     */
    double attentionRate(double width, TrainingJob job) {
        double products = width / HEAD;
        double share = products * (1 + generation.exponents()) / (products + generation.exponents());
        return peak16 * generation.attention() * job.kernels().attentionShare() * Math.min(1, share);
    }

    /**
     * Returns the bytes per device that are not available for tensors: allocator fragmentation, communication buffers,
     * device context.
     */
    public double reserve() {
        return 0.06 * memory + GIB;
    }

    public double peak(Precision precision) {
        return switch (precision) {
            case BITS16 -> peak16;
            case BITS8, BITS8_TENSOR, BITS8_ROW, BITS8_BLOCK -> peak8 > 0 ? peak8 : peak16;
            case BITS4 -> peak4 > 0 ? peak4 : peak(Precision.BITS8);
        };
    }

    /**
     * Returns the bandwidth in bytes/s of a ring over {@code members} ranks with distance {@code stride}. Inside a
     * domain it uses the fast link, otherwise the combined network of all members in the same domain.
     */
    double ring(int members, int stride) {
        if ((long) members * stride <= domain) {
            return link * LINK_SHARE;
        }
        int together = Math.max(1, Math.min(members, domain / stride));
        return Math.min(link > 0 ? link * LINK_SHARE : Double.MAX_VALUE, together * network * NETWORK_SHARE);
    }

    /** Returns the mean bandwidth in bytes/s between adjacent pipeline stages, inside and across domains. */
    double message(int stride, int stages) {
        int borders = stages - 1;
        double far = Math.min(borders, (long) borders * stride / domain);
        double near = far == borders ? 0 : (borders - far) / (link * LINK_SHARE);
        return borders / (near + (far == 0 ? 0 : far / (network * NETWORK_SHARE)));
    }

    /**
     * Returns the latency in seconds of one step of a ring; inside a domain it includes a share of the collective's
     * start-up time.
     */
    double hop(int members, int stride) {
        return (long) members * stride <= domain ? STEP + START / Math.max(1, members - 1) : FAR_STEP;
    }

    /** Seconds of one ring step, and of the start of a collective, within a fast domain. */
    private static final double STEP = 4e-6;

    private static final double START = 18e-6;
    /** Seconds of one ring step across domains. */
    private static final double FAR_STEP = 8e-6;

    static final double LINK_SHARE = 0.75;
    static final double NETWORK_SHARE = 0.8;
    static final double MEMORY_SHARE = 0.8;
}
