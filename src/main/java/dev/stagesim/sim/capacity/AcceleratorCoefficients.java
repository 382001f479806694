package dev.stagesim.sim.capacity;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Coefficients of the semi-empirical model of one kind of accelerator; {@code specs/fabric.md} has the formulas.
 *
 * @param tokensPerAccel tokens per second of one accelerator at full utilisation
 * @param trainingFactor share of that rate in training
 * @param inferenceFactor share of that rate in inference
 * @param commPenalty share of utilisation that a unit of communication overhead takes
 * @param overheadWeight how much a unit of communication overhead slows throughput
 * @param peakMemoryFactor GB of memory per unit of width times layers
 * @param retryThreshold communication overhead from which a run is retried once
 * @param idlePower share of a node's power drawn when idle
 * @param busyPower share of a node's power drawn in proportion to utilisation
 */
public record AcceleratorCoefficients(
        double tokensPerAccel,
        double trainingFactor,
        double inferenceFactor,
        double commPenalty,
        double overheadWeight,
        Utilization utilization,
        Communication communication,
        Latency latency,
        Memory memory,
        Noise noise,
        double peakMemoryFactor,
        double retryThreshold,
        double idlePower,
        double busyPower) {
    /** Share of the peak rate that is reached: a base, what each knob adds, and a cap. */
    public record Utilization(double base, double cudaGraphs, double gpuDirect, double inferenceBonus, double max) {}

    /**
     * Overhead of communication.
     *
     * @param base overhead without parallelism
     * @param perTp more for each further tensor-parallel device
     * @param perPp more for each further pipeline stage
     * @param inferenceScale factor in inference
     * @param fabricFactors factor of each network by name
     * @param jitterPerSriov more with virtualised devices
     * @param gpuDirectFactor factor when the network reads device memory
     * @param min least overhead
     */
    public record Communication(
            double base,
            double perTp,
            double perPp,
            double inferenceScale,
            Map<String, Double> fabricFactors,
            double jitterPerSriov,
            double gpuDirectFactor,
            double min) {
        public Communication {
            fabricFactors = Collections.unmodifiableMap(new LinkedHashMap<>(fabricFactors));
        }
    }

    /** Latency in ms: the median from the rate of one accelerator, the tail from multipliers. */
    public record Latency(
            double minP50Ms,
            double baseP50Coefficient,
            double ttftRatio,
            double p95Multiplier,
            double p99Multiplier,
            double sriovTail,
            double commTail) {}

    /** Use of memory bandwidth: a base, what the sequence length adds, and a cap. */
    public record Memory(double base, double seqScale, double seqNorm, double max) {}

    /** Jitter of throughput, and the share of it that the tail latencies see. */
    public record Noise(double amplitude, double tailScale) {}
}
