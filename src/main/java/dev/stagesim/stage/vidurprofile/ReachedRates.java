package dev.stagesim.stage.vidurprofile;

import dev.stagesim.model.HardwareCard;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.predict.DeviceRates;
import dev.stagesim.predict.ReachedShares;
import dev.stagesim.settings.ProfileSettings;
import java.util.ArrayList;
import java.util.List;

/**
 * Rates that kernels reach on a device: the card's peaks times the achievable shares, each with its source.
 *
 * <p>The sources of the shares are laid out in {@code specs/profiling.md}.
 */
final class ReachedRates {
    /** Median share of the cards for which a greatest measured matrix rate is known. */
    static final double TYPICAL_COMPUTE_SHARE = ReachedShares.USUAL_COMPUTE;

    private static final String SET = "set in the configuration";
    private static final String MICROS = "us";
    private static final String NCCL = "NVIDIA/nccl src/graph/tuning.cc: ";
    private static final String RING = " of the ring algorithm with the simple protocol";
    private static final int PAIR = 2;
    private static final int USUAL_DEVICES_PER_NODE = 8;
    private static final double BITS = 8;

    // defaults of ProfileSettings.Efficiency: what differs was set
    private static final double LINK_SHARE = 0.8;
    private static final double COLLECTIVE_US = 8.4;
    private static final double HOP_US = 3.4;
    private static final double NETWORK_HOP_US = 14;

    private final HardwareCard card;
    private final ProfileSettings.Efficiency efficiency;
    private final ReachedShares shares;
    private final double peakTflops;
    private final double computeShare;

    ReachedRates(HardwareCard card, ProfileSettings.Efficiency efficiency) {
        this.card = card;
        this.efficiency = efficiency;
        this.peakTflops = card.bf16OrFp16Tflops()
                .orElseThrow(() -> StageException.input(Problem.of(
                                "config error",
                                "hardware.bf16_tflops",
                                card.name() + " has no 16-bit rate, expected bf16_tflops or fp16_tflops")
                        .hint("the roofline profiler computes 16-bit operators")));
        this.shares = new ReachedShares(
                efficiency.compute(),
                efficiency.attention(),
                efficiency.bandwidth(),
                efficiency.link(),
                efficiency.kernelUs(),
                efficiency.collectiveUs(),
                efficiency.hopUs(),
                efficiency.networkHopUs());
        this.computeShare = shares.computeShare(card);
    }

    /** Devices that reach each other without a network; also those that share a scale-up domain. */
    int devicesPerNode() {
        return devicesPerNode(card);
    }

    /** The same of any card. */
    static int devicesPerNode(HardwareCard card) {
        return Math.max(USUAL_DEVICES_PER_NODE, card.scaleupDomain().orElse(1));
    }

    /** Rates when {@code devices} work together; beyond the scale-up domain they talk over the host's links. */
    DeviceRates of(int devices) {
        return shares.rates(card, devices);
    }

    private double linkGbs(int devices) {
        return ReachedShares.linkGbs(card, devices);
    }

    private double networkGbs() {
        return card.nicGbpsPerAccelTyp().orElse(0.0) / BITS;
    }

    /** Whether the card names a link over which that many devices can talk. */
    boolean canLink(int devices) {
        return devices <= devicesPerNode() && linkGbs(devices) > 0;
    }

    boolean hasNetwork() {
        return networkGbs() > 0;
    }

    /** Factors that were changed although the card has nothing that they apply to. */
    List<Problem> withoutEffect() {
        List<Problem> problems = new ArrayList<>();
        boolean links = canLink(PAIR);
        if (!links && !hasNetwork()) {
            unless(efficiency.link() == LINK_SHARE, "link", problems);
            unless(efficiency.collectiveUs() == COLLECTIVE_US, "collective_us", problems);
        }
        if (!links) {
            unless(efficiency.hopUs() == HOP_US, "hop_us", problems);
        }
        if (!hasNetwork()) {
            unless(efficiency.networkHopUs() == NETWORK_HOP_US, "network_hop_us", problems);
        }
        return problems;
    }

    private void unless(boolean isDefault, String key, List<Problem> problems) {
        if (!isDefault) {
            problems.add(Problem.of(
                            "config error",
                            "profile.efficiency." + key,
                            "has no effect: " + card.name() + " has no such connection")
                    .hint("leave it out, or give the hardware card its link"));
        }
    }

    List<Assumption> assumptions() {
        String card16 = "hardware card: " + card.source();
        List<Assumption> all = new ArrayList<>();
        all.add(new Assumption("16-bit peak", peakTflops, "TFLOP/s", card16));
        all.add(new Assumption("memory bandwidth", card.statedMemBwGbs(), "GB/s", card16));
        all.add(new Assumption("link bandwidth", linkGbs(PAIR), "GB/s", card16));
        all.add(new Assumption("profile.efficiency.compute", computeShare, "", computeSource()));
        all.add(factor(
                "attention",
                efficiency.attention(),
                "",
                0.6,
                "FlashAttention-2 reaches 50 to 73 % of the A100's"
                        + " peak (arXiv:2307.08691, abstract); about the middle"));
        all.add(factor(
                "bandwidth",
                efficiency.bandwidth(),
                "",
                0.8,
                "ai-dynamo/aiconfigurator systems/*.yaml:" + " mem_bw_empirical_scaling_factor 0.8"));
        all.add(factor(
                "kernel_us",
                efficiency.kernelUs(),
                MICROS,
                3,
                "ai-dynamo/aiconfigurator systems/*.yaml:" + " mem_empirical_constant_latency 3 us"));
        all.add(factor(
                "link",
                efficiency.link(),
                "",
                LINK_SHARE,
                "NVIDIA/nccl src/graph/topo.h: 20.0 of the 25 GB/s of an" + " A100's NVLink, 20.6 of an H100's"));
        all.add(factor(
                "collective_us", efficiency.collectiveUs(), MICROS, COLLECTIVE_US, NCCL + "base latency" + RING));
        all.add(factor("hop_us", efficiency.hopUs(), MICROS, HOP_US, NCCL + "NVLink latency" + RING));
        all.add(factor(
                "network_hop_us", efficiency.networkHopUs(), MICROS, NETWORK_HOP_US, NCCL + "network latency" + RING));
        return all;
    }

    /** A factor whose source is known for its default only. */
    private static Assumption factor(String key, double value, String unit, double def, String source) {
        return new Assumption("profile.efficiency." + key, value, unit, value == def ? source : SET);
    }

    private String computeSource() {
        if (efficiency.compute().isPresent()) {
            return SET;
        }
        return card.mamfBf16Tflops().isPresent()
                ? "greatest measured matrix rate " + card.mamfBf16Tflops().get()
                        + " TFLOP/s of the hardware card (stas00/ml-engineering)"
                : "median of the cards with a measured matrix rate; this card has none";
    }
}
