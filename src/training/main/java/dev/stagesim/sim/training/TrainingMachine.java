package dev.stagesim.sim.training;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.card.HardwareCard;
import dev.stagesim.stats.StudentT;

/**
 * Devices and links of a cluster.
 *
 * @param name name of the device
 * @param peak16 dense 16-bit peak, FLOP/s
 * @param peak8 dense 8-bit peak; 0 without
 * @param peak4 dense 4-bit peak; 0 without
 * @param bandwidth memory bandwidth, bytes/s
 * @param memory memory, bytes
 * @param generation what it reaches of its peaks
 * @param domain devices that the fast link connects
 * @param link fast link for each device and direction, bytes/s
 * @param nodeSize devices that share a host
 * @param network network for each device and direction, bytes/s
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
     * Shares of the peaks that a generation of devices reaches in long training runs. Set for whole generations from published steps
     * of many models, never for one model, device and software; see specs/training-planner.md.
     *
     * @param product16 16-bit products
     * @param product8 8-bit products
     * @param product4 4-bit products
     * @param attention fused attention with heads of 128, of the 16-bit peak
     * @param exponents time of the exponentials of a score beside that of its products with heads of 128
     * @param watts board power that the shares hold for
     */
    public record Generation(
            double product16,
            double product8,
            double product4,
            double attention,
            double exponents,
            int multiprocessors,
            double watts) {
        public static final Generation VOLTA = new Generation(0.60, 0, 0, 0.30, 0.125, 80, 300);
        public static final Generation AMPERE = new Generation(0.72, 0, 0, 0.55, 0.25, 108, 400);
        public static final Generation HOPPER = new Generation(0.64, 0.55, 0, 0.55, 0.5, 132, 700);
        public static final Generation BLACKWELL = new Generation(0.47, 0.46, 0.40, 0.38, 1, 148, 1200);
        /** With twice the exponentials, which takes a quarter from attention. */
        public static final Generation BLACKWELL_ULTRA = new Generation(0.47, 0.46, 0.40, 0.507, 0.5, 148, 1200);
        /** What no published step tells about. */
        public static final Generation OTHER = new Generation(0.60, 0.50, 0.40, 0.45, 0.5, 128, 700);

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
    private static final double TERA = 1e12;
    private static final int NODE = 8;
    private static final int NEARLY_NORMAL = 100_000;
    private static final double HEAD = 128;
    private static final double LEAST_CLOCK = 0.7;
    private static final double MOST_CLOCK = 1.1;

    /**
     * The device of a hardware card with its own links.
     *
     * @throws StageException (input) when the card lacks a rate that training cannot do without
     */
    public static TrainingMachine of(HardwareCard card) {
        double peak16 = TERA
                * card.bf16OrFp16Tflops()
                        .orElseThrow(() -> StageException.input(Problem.config(
                                "hardware.bf16_tflops", "the card " + card.name() + " does not state it")));
        Generation generation = generation(card.generation());
        // Long runs of products are held back by power, and the clock falls with its square root.
        double clock = card.powerW()
                .map(power -> Math.sqrt(power / generation.watts()))
                .map(share -> Math.max(LEAST_CLOCK, Math.min(MOST_CLOCK, share)))
                .orElse(1.0);
        return new TrainingMachine(
                card.name(),
                peak16,
                TERA * card.fp8Tflops().orElse(0.0),
                TERA * card.fp4Tflops().orElse(0.0),
                GIGA * card.statedMemBwGbs(),
                GIGA * card.memGb(),
                generation.at(clock),
                domain(card),
                GIGA
                        * (card.scaleupUniGbs() > 0
                                ? card.scaleupUniGbs()
                                : card.hostUniGbs().orElse(0.0)),
                Math.min(NODE, Math.max(1, card.scaleupDomain().orElse(NODE))),
                GIGA / NODE * card.nicGbpsPerAccelTyp().orElse(0.0),
                0);
    }

    /** Devices that reach each other without the network: over the scale-up link, else over the host's link. */
    private static int domain(HardwareCard card) {
        if (card.scaleupUniGbs() > 0) {
            return Math.max(1, card.scaleupDomain().orElse(1));
        }
        return card.hostUniGbs().orElse(0.0) > 0
                ? Math.max(1, card.scaleupDomain().orElse(NODE))
                : 1;
    }

    /** Whether devices reach each other without the network. */
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

    /** This machine with a network of so many bytes/s for each device. */
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

    /** This machine with a fast link between so many devices. */
    public TrainingMachine domain(int devices) {
        int host = Math.min(NODE, devices);
        return new TrainingMachine(
                name, peak16, peak8, peak4, bandwidth, memory, generation, devices, link, host, network, spread);
    }

    /** This machine at a share of its compute and memory rates. */
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

    /** This machine with so many times the shares of its peaks. */
    public TrainingMachine efficient(double factor) {
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

    /** This machine with devices whose step times spread by a share of their mean, one standard deviation. */
    public TrainingMachine spread(double share) {
        return new TrainingMachine(
                name, peak16, peak8, peak4, bandwidth, memory, generation, domain, link, nodeSize, network, share);
    }

    /**
     * How many times as long as on devices that are all alike a step takes: it waits for the slowest, which of n is where a share
     * (n - 3/8) / (n + 1/4) of them is below (Blom).
     */
    public double slowest(int devices) {
        return spread == 0 ? 1 : 1 + spread * StudentT.quantile((devices - 0.375) / (devices + 0.25), NEARLY_NORMAL);
    }

    /** The factor with which products of a precision, or attention, would reach the peak. */
    public double mostEfficient(Precision precision) {
        double product = productRate(precision) / peak(precision);
        return 1 / Math.max(product, generation.attention());
    }

    /** Matrix precisions. */
    public enum Precision {
        BITS16(0, 1),
        /** 8 bits with one scale a tensor, known from the steps before. */
        BITS8(4, 0.5),
        /** 8 bits with one scale a tensor, found in a pass before that of the cast. */
        BITS8_TENSOR(6, 0.5),
        /** 8 bits with a scale for each row, and for each column of the transposed operand, which no member sees whole. */
        BITS8_ROW(8, 1),
        /** 8 bits with a scale for each block of 32. */
        BITS8_BLOCK(4, 0.53),
        BITS4(3.2, 0.28);

        private final double cast;
        private final double gathered;

        Precision(double cast, double gathered) {
            this.cast = cast;
            this.gathered = gathered;
        }

        /** Bytes to read and write for a value of an operand in the low precision, as it is and transposed. */
        double cast() {
            return cast;
        }

        /** Bytes of an operand with its scales, beside 16 bits, while tensor parallelism gathers it. */
        double gathered() {
            return gathered;
        }
    }

    /** Seconds for so many operations of products in a precision, at full efficiency. */
    double productRate(Precision precision) {
        return switch (precision) {
            case BITS16 -> peak16 * generation.product16();
            case BITS8, BITS8_TENSOR, BITS8_ROW, BITS8_BLOCK ->
                peak8 > 0 ? peak8 * generation.product8() : peak16 * generation.product16();
            case BITS4 -> peak4 > 0 ? peak4 * generation.product4() : productRate(Precision.BITS8);
        };
    }

    /**
     * Operations/s of fused attention with heads of a width. The products of a score grow with the width and its exponential does not,
     * so narrow heads wait for the units of exponentials; wide ones gain nothing, for their tiles are smaller.
     */
    double attentionRate(double width, TrainingJob job) {
        double products = width / HEAD;
        double share = products * (1 + generation.exponents()) / (products + generation.exponents());
        return peak16 * generation.attention() * job.attentionShare() * Math.min(1, share);
    }

    /** Bytes of a device that no tensor gets: slack of the allocator, buffers of collectives and the device's context. */
    public double reserve() {
        return 0.06 * memory + (1L << 30);
    }

    public double peak(Precision precision) {
        return switch (precision) {
            case BITS16 -> peak16;
            case BITS8, BITS8_TENSOR, BITS8_ROW, BITS8_BLOCK -> peak8 > 0 ? peak8 : peak16;
            case BITS4 -> peak4 > 0 ? peak4 : peak(Precision.BITS8);
        };
    }

    /**
     * Bytes/s of a ring over {@code members} ranks that lie {@code stride} apart: inside the domain the link, else the network of all
     * members that share a domain.
     */
    double ring(int members, int stride) {
        if ((long) members * stride <= domain) {
            return link * LINK_SHARE;
        }
        int together = Math.max(1, Math.min(members, domain / stride));
        return Math.min(link > 0 ? link * LINK_SHARE : Double.MAX_VALUE, together * network * NETWORK_SHARE);
    }

    /** Bytes/s of messages between neighbours of so many stages of {@code stride} ranks: a mean over those that leave a domain or not. */
    double message(int stride, int stages) {
        int borders = stages - 1;
        double far = Math.min(borders, (long) borders * stride / domain);
        double near = far == borders ? 0 : (borders - far) / (link * LINK_SHARE);
        return borders / (near + (far == 0 ? 0 : far / (network * NETWORK_SHARE)));
    }

    /** Seconds of a step of a ring; inside the domain with its part of what a collective needs to begin. */
    double hop(int members, int stride) {
        return (long) members * stride <= domain ? STEP + START / Math.max(1, members - 1) : FAR_STEP;
    }

    private static final double STEP = 4e-6;
    private static final double START = 18e-6;
    private static final double FAR_STEP = 8e-6;

    static final double LINK_SHARE = 0.75;
    static final double NETWORK_SHARE = 0.8;
    static final double MEMORY_SHARE = 0.8;
}
