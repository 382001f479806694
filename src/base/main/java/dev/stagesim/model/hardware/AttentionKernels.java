package dev.stagesim.model.hardware;

import dev.stagesim.model.Key;

/** Efficiency and minimum time of attention. */
public record AttentionKernels(
        @Key("Share of the memory bandwidth that decode attention reaches. | 0.75 | 0.000001..1")
                double attentionBandwidth,
        @Key("Share of the memory bandwidth that decode attention with an 8-bit cache reaches. | 0.70 | 0.000001..1")
                double attention8Bandwidth,
        @Key("Share of the 16-bit peak that the products of prefill attention reach. | 0.50 | 0.000001..1")
                double attentionCompute,
        @Key("Cost of the exponential of a query-key pair in prefill attention, in operations at the 16-bit peak. |"
                        + " 0 | 0..1000000")
                double attentionExponential,
        @Key("Minimum time of attention in a layer. | 9 | us | 0..1000000000") double attentionUs,
        @Key("Time of a sequence and key-value head in decode attention on its multiprocessor. | 0.9 | us | 0..1000000")
                double attentionGroupUs,
        @Key("Fixed cost of a query in prefill attention, as a number of keys. | 500 | keys | 0..1000000")
                double attentionQueryKeys,
        @Key(
                        "Share of the memory bandwidth that decode attention with a 16-bit latent cache reaches. | 0.75 | 0.000001..1")
                double latentBandwidth,
        @Key("Share of the 16-bit peak that decode attention with a latent cache reaches. | 0.35 | 0.000001..1")
                double latentCompute,
        @Key("Time of a tile of 64 query heads of one sequence on its multiprocessor, in decode attention with a"
                        + " latent cache. | 0.9 | us | 0..1000000")
                double latentGroupUs) {}
