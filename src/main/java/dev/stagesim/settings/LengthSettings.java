package dev.stagesim.settings;

import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import java.util.List;
import java.util.Optional;

/** Where the prompt and output lengths of requests come from: the section {@code workload.lengths}. */
public sealed interface LengthSettings
        permits LengthSettings.Fixed,
                LengthSettings.Uniform,
                LengthSettings.Zipf,
                LengthSettings.LogNormal,
                LengthSettings.Empirical,
                LengthSettings.Trace,
                LengthSettings.Listed,
                LengthSettings.Prompts {
    /** Every request alike. */
    @Variant(value = "fixed", doc = "Every request alike.")
    record Fixed(
            @Key(doc = "Prompt tokens.", unit = "tokens", def = "2048", min = "1") int prefillTokens,
            @Key(doc = "Output tokens.", unit = "tokens", def = "512", min = "1") int decodeTokens)
            implements LengthSettings {}

    /** Total tokens uniform in a range, split at a fixed ratio. */
    @Variant(value = "uniform", doc = "Total tokens uniform in a range, split at a fixed ratio.")
    record Uniform(
            @Key(doc = "Least total.", unit = "tokens", def = "1024", min = "2") int minTokens,
            @Key(doc = "Greatest total.", unit = "tokens", def = "4096", min = "2") int maxTokens,
            @Key(doc = "Prompt tokens per output token.", def = "20.0", min = "0", above = true)
                    double prefillToDecodeRatio)
            implements LengthSettings {}

    /** Total tokens by Zipf's law over a range, split at a fixed ratio. */
    @Variant(value = "zipf", doc = "Total tokens by Zipf's law over a range, split at a fixed ratio.")
    record Zipf(
            @Key(doc = "Least total.", unit = "tokens", def = "1024", min = "2") int minTokens,
            @Key(doc = "Greatest total.", unit = "tokens", def = "4096", min = "2") int maxTokens,
            @Key(doc = "Skew: the weight of the i-th length is i to the power of minus theta.", def = "0.6", min = "0")
                    double theta,
            @Key(
                            doc =
                                    "Scatter the frequent lengths over the range, instead of having the short ones frequent.",
                            def = "false")
                    boolean scramble,
            @Key(doc = "Prompt tokens per output token.", def = "20.0", min = "0", above = true)
                    double prefillToDecodeRatio,
            @Key(doc = "Seed of the lengths alone; null for workload.seed.", def = "null", min = "0")
                    Optional<Long> seed)
            implements LengthSettings {}

    /** Prompt and output drawn apart, each log-normal. */
    @Variant(value = "log_normal", doc = "Prompt and output drawn apart, each log-normal.")
    record LogNormal(
            @Key(doc = "Prompt tokens.", def = "{}") LogNormalTokens prefill,
            @Key(doc = "Output tokens.", def = "{}") LogNormalTokens decode,
            @Key(doc = "Seed of the lengths alone; null for workload.seed.", def = "null", min = "0")
                    Optional<Long> seed)
            implements LengthSettings {}

    /** Pairs drawn with replacement from the rows of workload.file. */
    @Variant(value = "empirical", doc = "Pairs drawn with replacement from the rows of workload.file.")
    record Empirical(
            @Key(doc = "Factor on the prompt tokens.", def = "1.0", min = "0", above = true) double prefillScale,
            @Key(doc = "Factor on the output tokens.", def = "1.0", min = "0", above = true) double decodeScale,
            @Key(doc = "Seed of the lengths alone; null for workload.seed.", def = "null", min = "0")
                    Optional<Long> seed)
            implements LengthSettings {}

    /** The rows of workload.file, each once. */
    @Variant(value = "trace", doc = "The rows of workload.file, each once.")
    record Trace(
            @Key(doc = "Order in which the rows are used.", def = "file") RowOrder order,
            @Key(doc = "Start again when the rows run out, instead of stopping with an error.", def = "false")
                    boolean repeat,
            @Key(doc = "Factor on the prompt tokens.", def = "1.0", min = "0", above = true) double prefillScale,
            @Key(doc = "Factor on the output tokens.", def = "1.0", min = "0", above = true) double decodeScale,
            @Key(doc = "Seed of the order alone; null for workload.seed.", def = "null", min = "0") Optional<Long> seed)
            implements LengthSettings {}

    /** Lengths listed in the configuration. */
    @Variant(value = "list", doc = "Lengths listed in the configuration.")
    record Listed(
            @Key(doc = "Prompt tokens of each request.", unit = "tokens", min = "1") List<Integer> prefillTokens,
            @Key(doc = "Output tokens of each request; one value stands for all.", unit = "tokens", min = "1")
                    List<Integer> decodeTokens)
            implements LengthSettings {
        public Listed {
            prefillTokens = List.copyOf(prefillTokens);
            decodeTokens = List.copyOf(decodeTokens);
        }
    }

    /** Prompts of workload.file, tokenised with workload.tokenizer. */
    @Variant(value = "prompts", doc = "Prompts of workload.file, tokenised with workload.tokenizer.")
    record Prompts(
            @Key(doc = "Order in which the prompts are used.", def = "file") RowOrder order,
            @Key(doc = "Start again when the prompts run out, instead of stopping with an error.", def = "false")
                    boolean repeat,
            @Key(
                            doc = "Output tokens of every request; null for what the file says of each.",
                            unit = "tokens",
                            def = "null",
                            min = "1")
                    Optional<Integer> decodeTokens,
            @Key(doc = "Seed of the order alone; null for workload.seed.", def = "null", min = "0") Optional<Long> seed)
            implements LengthSettings {}
}
