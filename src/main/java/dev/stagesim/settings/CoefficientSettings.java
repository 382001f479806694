package dev.stagesim.settings;

import dev.stagesim.model.Key;
import java.util.Map;
import java.util.Optional;

/** Coefficients of the semi-empirical model of a target: its section {@code card}. */
public record CoefficientSettings(
        @Key(
                        doc =
                                "Tokens per second of one accelerator at full use; null for its 16-bit matrix rate over what a"
                                        + " token takes: 2 operations per active parameter, 6 in training.",
                        unit = "tokens/s",
                        def = "null",
                        min = "0",
                        above = true)
                Optional<Double> tokensPerAccel,
        @Key(doc = "Factor in training.", def = "1.0", min = "0", above = true) double trainingFactor,
        @Key(doc = "Factor in inference.", def = "1.0", min = "0", above = true) double inferenceFactor,
        @Key(doc = "Share of utilisation that a unit of communication overhead takes.", def = "0.4", min = "0")
                double commPenalty,
        @Key(doc = "How much a unit of communication overhead slows throughput.", def = "4.0", min = "0")
                double overheadWeight,
        @Key(doc = "Share of the peak that is reached.", def = "0.4", min = "0", max = "1", above = true)
                double utilization,
        @Key(doc = "More with kernels launched as graphs.", def = "0.03", min = "0") double cudaGraphsGain,
        @Key(doc = "More when the network reads device memory.", def = "0.02", min = "0") double gpudirectGain,
        @Key(doc = "More, or less, in inference.", def = "-0.15", min = "-1") double inferenceBonus,
        @Key(doc = "Most of the peak that is reached.", def = "0.65", min = "0", max = "1", above = true)
                double utilizationMax,
        @Key(doc = "Communication overhead without parallelism.", def = "0.02", min = "0") double commBase,
        @Key(doc = "More for each further tensor-parallel device.", def = "0.01", min = "0") double commPerTp,
        @Key(doc = "More for each further pipeline stage.", def = "0.01", min = "0") double commPerPp,
        @Key(doc = "Factor on communication overhead in inference.", def = "1.0", min = "0") double commInferenceScale,
        @Key(
                        doc = "Factors of networks on communication overhead.",
                        def = "{ IB = 1.0, RoCE = 1.1, Vendor = 1.0 }",
                        min = "0")
                Map<String, Double> fabricFactors,
        @Key(doc = "More overhead with virtualised devices.", def = "0.05", min = "0") double jitterPerSriov,
        @Key(doc = "Factor on overhead when the network reads device memory.", def = "0.8", min = "0")
                double gpudirectFactor,
        @Key(doc = "Least communication overhead.", def = "0.02", min = "0") double minOverhead,
        @Key(doc = "Least median latency of a token.", unit = "ms", def = "4.0", min = "0") double minP50Ms,
        @Key(
                        doc =
                                "Median latency of a token times the rate of one accelerator; null for the time that reading"
                                        + " the weights takes.",
                        unit = "ms tokens/s",
                        def = "null",
                        min = "0",
                        above = true)
                Optional<Double> p50Coefficient,
        @Key(doc = "Time to first token over the median latency.", def = "1.0", min = "0") double ttftRatio,
        @Key(doc = "P95 over the median.", def = "1.5", min = "1") double p95Multiplier,
        @Key(doc = "P99 over the median.", def = "2.2", min = "1") double p99Multiplier,
        @Key(doc = "Tail that virtualisation adds.", def = "0.2", min = "0") double sriovTail,
        @Key(doc = "Tail that communication adds.", def = "0.8", min = "0") double commTail,
        @Key(doc = "Use of memory bandwidth by short sequences.", def = "0.4", min = "0", max = "1") double hbmBase,
        @Key(doc = "More for a sequence of hbm_seq_norm tokens.", def = "0.4", min = "0") double hbmSeqScale,
        @Key(doc = "Sequence length.", unit = "tokens", def = "8192.0", min = "1") double hbmSeqNorm,
        @Key(doc = "Most use of memory bandwidth.", def = "0.85", min = "0", max = "1") double hbmMax,
        @Key(doc = "GB of memory per unit of width times layers.", def = "0.001", min = "0") double peakMemoryFactor,
        @Key(doc = "Range of the jitter of compat=atlas; without it there is none.", def = "0.02", min = "0")
                double noiseAmplitude,
        @Key(doc = "Share of the jitter that tail latencies see.", def = "0.5", min = "0") double noiseTailScale,
        @Key(doc = "Communication overhead from which a run is retried.", def = "0.3", min = "0")
                double retryThreshold) {}
