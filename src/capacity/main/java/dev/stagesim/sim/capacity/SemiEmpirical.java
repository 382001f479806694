package dev.stagesim.sim.capacity;

import dev.stagesim.sim.core.Mt19937;
import java.math.BigInteger;

/**
 * The semi-empirical model: throughput, latency, utilisation and power of a job in closed form, with one draw of jitter.
 *
 * <p>The order of operations is that of the reference, so that equal inputs give identical bits.
 */
public final class SemiEmpirical {
    private static final double MILLIS = 1000.0;

    private SemiEmpirical() {}

    /** Returns the results with the jitter of a seed. */
    public static CapacityFigures jittered(
            AcceleratorCoefficients card, CapacityNode node, CapacityJob job, CapacityKnobs knobs, BigInteger seed) {
        double draw = Mt19937.pythonSeed(seed).nextDouble();
        return figures(
                card, node, job, knobs, (draw - 0.5) * card.card().noise().noiseAmplitude());
    }

    /** Returns the results without jitter. */
    public static CapacityFigures steady(
            AcceleratorCoefficients card, CapacityNode node, CapacityJob job, CapacityKnobs knobs) {
        return figures(card, node, job, knobs, 0);
    }

    private static CapacityFigures figures(
            AcceleratorCoefficients of, CapacityNode node, CapacityJob job, CapacityKnobs knobs, double noise) {
        AcceleratorCard card = of.card();
        boolean inference = job.inference();
        double utilization = utilization(card, knobs, inference);
        double overhead = overhead(card, job, knobs);
        double rate = (inference
                        ? card.throughput().inferenceFactor()
                        : card.throughput().trainingFactor())
                * utilization
                * node.accelerators()
                * of.tokensPerAccel();
        double tokens = rate / (1.0 + card.throughput().overheadWeight() * overhead);
        if (inference && job.countsOutput()) {
            tokens = tokens * ((double) job.generate() / Math.max(1, job.sequence()));
        }
        tokens *= 1.0 + noise;
        double p50 =
                Math.max(card.latency().minP50Ms(), of.p50Coefficient() / Math.max(1.0, rate / node.accelerators()));
        double tail =
                1.0 + card.latency().commTail() * overhead + card.latency().sriovTail() * (knobs.sriov() ? 1 : 0);
        double jitter = 1.0 + noise * card.noise().noiseTailScale();
        double bandwidth = Math.min(
                card.bandwidth().hbmMax(),
                card.bandwidth().hbmBase()
                        + card.bandwidth().hbmSeqScale()
                                * (job.sequence() / card.bandwidth().hbmSeqNorm()));
        double stepTokens = tokensPerStep(job, knobs);
        return new CapacityFigures(
                Math.max(1.0, tokens),
                clamp(utilization * (1.0 - card.throughput().commPenalty() * overhead), 0.0, 1.0),
                clamp(bandwidth, 0.0, 1.0),
                clamp(overhead / (1.0 + overhead), 0.01, 0.99),
                inference ? 0.0 : stepTokens / Math.max(1.0, tokens) * MILLIS,
                inference ? p50 : 0.0,
                inference ? p50 * (card.latency().p95Multiplier() * tail) * jitter : 0.0,
                inference ? p50 * (card.latency().p99Multiplier() * tail) * jitter : 0.0,
                inference ? p50 * card.latency().ttftRatio() : 0.0,
                Math.min(node.memoryGb(), card.peakMemoryFactor() * job.hiddenSize() * job.layers()),
                node.nodeWatts() * (of.idlePower() + of.busyPower() * utilization),
                overhead < card.retryThreshold() ? 0 : 1);
    }

    private static double utilization(AcceleratorCard of, CapacityKnobs knobs, boolean inference) {
        double sum = of.utilisation().utilization() + of.utilisation().cudaGraphsGain() * (knobs.cudaGraphs() ? 1 : 0);
        sum += of.utilisation().gpudirectGain() * (knobs.gpuDirect() ? 1 : 0);
        if (inference) {
            sum += of.utilisation().inferenceBonus();
        }
        return Math.min(sum, of.utilisation().utilizationMax());
    }

    private static double overhead(AcceleratorCard of, CapacityJob job, CapacityKnobs knobs) {
        double intensity = of.communication().commBase()
                + of.communication().commPerTp() * (job.tensorParallel() - 1)
                + of.communication().commPerPp() * (job.pipelineStages() - 1);
        if (job.inference()) {
            intensity *= of.communication().commInferenceScale();
        }
        double jitter = 1.0 + of.communication().jitterPerSriov() * (knobs.sriov() ? 1 : 0);
        double overhead = intensity
                * knobs.fabricFactor()
                * jitter
                * (knobs.gpuDirect() ? of.communication().gpudirectFactor() : 1.0);
        return Math.max(of.communication().minOverhead(), overhead);
    }

    /** Returns the tokens of a training step, exact before the conversion to a double. */
    private static double tokensPerStep(CapacityJob job, CapacityKnobs knobs) {
        return BigInteger.valueOf(job.dataParallel())
                .multiply(BigInteger.valueOf(knobs.microbatch()))
                .multiply(BigInteger.valueOf(job.sequence()))
                .max(BigInteger.ONE)
                .doubleValue();
    }

    private static double clamp(double value, double low, double high) {
        return Math.max(low, Math.min(high, value));
    }
}
