package dev.stagesim.sim.capacity;

import dev.stagesim.model.Key;
import dev.stagesim.model.Unwrapped;
import java.util.Map;
import java.util.Optional;

/** Coefficients of the semi-empirical model of a target: its section {@code card}. */
public record AcceleratorCard(
        @Unwrapped TokenRate throughput,
        @Unwrapped UtilisationTerms utilisation,
        @Unwrapped OverheadTerms communication,
        @Unwrapped LatencyTerms latency,
        @Unwrapped BandwidthTerms bandwidth,
        @Key("GB of memory per unit of width times layers. | 0.001 | 0..1000000") double peakMemoryFactor,
        @Unwrapped JitterTerms noise,
        @Key("Minimum communication overhead for a retry. | 0.3 | 0..1000000") double retryThreshold) {
    /** Throughput of an accelerator. */
    public record TokenRate(
            @Key(
                            "Tokens per second of one accelerator at full use; null for its 16-bit matrix rate divided by the operations of a"
                                    + " token: 2 per active parameter, 6 in training. | null | tokens/s | 0.000001..1000000000000")
                    Optional<Double> tokensPerAccel,
            @Key("Factor in training. | 1.0 | 0.000001..1000000") double trainingFactor,
            @Key("Factor in inference. | 1.0 | 0.000001..1000000") double inferenceFactor,
            @Key("Loss of utilisation per unit of communication overhead. | 0.4 | 0..1000000") double commPenalty,
            @Key("Slowdown of throughput per unit of communication overhead. | 4.0 | 0..1000000")
                    double overheadWeight) {}

    /** Achieved share of the peak. */
    public record UtilisationTerms(
            @Key("Achieved share of the peak. | 0.4 | 0.000001..1") double utilization,
            @Key("Additional utilisation with CUDA graphs. | 0.03 | 0..1000000") double cudaGraphsGain,
            @Key("Additional utilisation if the network reads device memory. | 0.02 | 0..1000000") double gpudirectGain,
            @Key("Additional utilisation in inference; may be negative. | -0.15 | -1..1000000") double inferenceBonus,
            @Key("Maximum achieved share of the peak. | 0.65 | 0.000001..1") double utilizationMax) {}

    /** Communication overhead. */
    public record OverheadTerms(
            @Key("Communication overhead without parallelism. | 0.02 | 0..1000000") double commBase,
            @Key("Additional overhead per tensor-parallel device after the first. | 0.01 | 0..1000000")
                    double commPerTp,
            @Key("Additional overhead per pipeline stage after the first. | 0.01 | 0..1000000") double commPerPp,
            @Key("Factor on communication overhead in inference. | 1.0 | 0..1000000") double commInferenceScale,
            @Key("Factors of networks on communication overhead. | { IB = 1.0, RoCE = 1.1, Vendor = 1.0 } | 0..1000000")
                    Map<String, Double> fabricFactors,
            @Key("Additional overhead with virtualised devices. | 0.05 | 0..1000000") double jitterPerSriov,
            @Key("Factor on overhead if the network reads device memory. | 0.8 | 0..1000000") double gpudirectFactor,
            @Key("Minimum communication overhead. | 0.02 | 0..1000000") double minOverhead) {}

    /** Latency of a token and its tail. */
    public record LatencyTerms(
            @Key("Minimum median latency of a token. | 4.0 | ms | 0..1000000000") double minP50Ms,
            @Key("Median latency of a token times the rate of one accelerator; null for the time that reading the"
                            + " weights takes. | null | ms tokens/s | 0.000001..1000000000000000")
                    Optional<Double> p50Coefficient,
            @Key("Time to first token over the median latency. | 1.0 | 0..1000000") double ttftRatio,
            @Key("P95 over the median. | 1.5 | 1..1000000") double p95Multiplier,
            @Key("P99 over the median. | 2.2 | 1..1000000") double p99Multiplier,
            @Key("Tail that virtualisation adds. | 0.2 | 0..1000000") double sriovTail,
            @Key("Tail that communication adds. | 0.8 | 0..1000000") double commTail) {}

    /** Use of memory bandwidth. */
    public record BandwidthTerms(
            @Key("Use of memory bandwidth by short sequences. | 0.4 | 0..1") double hbmBase,
            @Key("Additional use for a sequence of hbm_seq_norm tokens. | 0.4 | 0..1000000") double hbmSeqScale,
            @Key("Sequence length that hbm_seq_scale refers to. | 8192.0 | tokens | 1..1000000000") double hbmSeqNorm,
            @Key("Maximum use of memory bandwidth. | 0.85 | 0..1") double hbmMax) {}

    /** Jitter of the results. */
    public record JitterTerms(
            @Key("Range of the jitter of compat=atlas; other modes have no jitter. | 0.02 | 0..1000000")
                    double noiseAmplitude,
            @Key("Share of the jitter that applies to tail latencies. | 0.5 | 0..1000000") double noiseTailScale) {}
}
