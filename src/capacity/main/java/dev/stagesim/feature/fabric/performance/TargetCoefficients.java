package dev.stagesim.feature.fabric.performance;

import dev.stagesim.capacity.TargetSettings;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.sim.capacity.AcceleratorCard;
import dev.stagesim.sim.capacity.AcceleratorCoefficients;

/** Coefficients of the semi-empirical model for a target; missing settings are derived from the accelerator card. */
public final class TargetCoefficients {
    private static final double TERA = 1e12;
    private static final double GIGA = 1e9;
    private static final double FORWARD = 2;
    private static final double FORWARD_AND_BACKWARD = 6;
    private static final double VALUE_BYTES = 2;
    private static final double MILLIS = 1e3;

    private TargetCoefficients() {}

    public static AcceleratorCoefficients of(TargetSettings target, ModelCard model, boolean inference) {
        AcceleratorCard card = target.card();
        double tokens = card.throughput().tokensPerAccel().orElseGet(() -> peak(target.device(), model, inference));
        double factor = inference
                ? card.throughput().inferenceFactor()
                : card.throughput().trainingFactor();
        double utilization = Math.min(
                card.utilisation().utilizationMax(),
                card.utilisation().utilization()
                        + (inference ? card.utilisation().inferenceBonus() : 0));
        double coefficient = card.latency()
                .p50Coefficient()
                .orElseGet(() -> weightsMs(target.device(), model) * factor * utilization * tokens);
        double idle = target.power().idleFraction();
        return new AcceleratorCoefficients(card, tokens, coefficient, idle, 1 - idle);
    }

    /** Returns the coefficients of Atlas Fabric, which has no model cards and assumes a billion parameters. */
    public static AcceleratorCoefficients atlas(TargetSettings target) {
        AcceleratorCard card = target.card();
        double tokens = card.throughput()
                .tokensPerAccel()
                .orElseGet(() -> target.device()
                                .mamfBf16Tflops()
                                .or(target.device()::bf16OrFp16Tflops)
                                .orElse(1.0)
                        * 1e12
                        / 2e9);
        double idle = target.power().idleFraction();
        return new AcceleratorCoefficients(
                card,
                tokens,
                card.latency()
                        .p50Coefficient()
                        .orElse(card.latency().minP50Ms()
                                * tokens
                                * card.utilisation().utilization()),
                idle,
                1 - idle);
    }

    /**
     * Returns the tokens per second at the peak 16-bit rate, with 2 operations per active parameter and 6 in training.
     */
    private static double peak(HardwareCard device, ModelCard model, boolean inference) {
        double rate = device.mamfBf16Tflops().or(device::bf16OrFp16Tflops).orElse(1.0) * TERA;
        double each = inference ? FORWARD : FORWARD_AND_BACKWARD;
        return rate / (each * model.size().activeParameters());
    }

    /** Returns the time to read the weights once. */
    private static double weightsMs(HardwareCard device, ModelCard model) {
        return MILLIS * VALUE_BYTES * model.size().activeParameters() / (device.statedMemBwGbs() * GIGA);
    }
}
