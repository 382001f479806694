package dev.stagesim.serving.workload;

import dev.stagesim.model.Key;
import dev.stagesim.model.OnlyIf;
import dev.stagesim.model.Variant;
import dev.stagesim.sim.workload.TokenDistribution;
import java.util.List;
import java.util.Optional;

/** Prompt and output lengths of requests: the section {@code workload.lengths}. */
public sealed interface LengthSettings
        permits LengthSettings.Fixed,
                LengthSettings.Uniform,
                LengthSettings.Zipf,
                LengthSettings.LogNormal,
                LengthSettings.Distributions,
                LengthSettings.Empirical,
                LengthSettings.Trace,
                LengthSettings.Listed,
                LengthSettings.Prompts {
    /** Returns the maximum prompt plus output tokens of a request; empty if a file decides. */
    default Optional<Long> longest() {
        return Optional.empty();
    }

    @Variant("fixed | Equal lengths of all requests.")
    record Fixed(
            @Key("Prompt tokens. | 2048 | tokens | 1..1000000000") int prefillTokens,
            @Key("Output tokens. | 512 | tokens | 1..1000000000") int decodeTokens)
            implements LengthSettings {
        @Override
        public Optional<Long> longest() {
            return Optional.of((long) prefillTokens + decodeTokens);
        }
    }

    @Variant("uniform | Total tokens uniform in a range, split at a fixed ratio.")
    record Uniform(
            @Key("Minimum total. | 1024 | tokens | 2..1000000000") int minTokens,
            @Key("Maximum total. | 4096 | tokens | 2..1000000000") int maxTokens,
            @Key("Prompt tokens per output token. | 20.0 | 0.000001..1000000000") double prefillToDecodeRatio)
            implements LengthSettings {
        @Override
        public Optional<Long> longest() {
            return Optional.of((long) maxTokens);
        }
    }

    @Variant("zipf | Total tokens by Zipf's law over a range, split at a fixed ratio.")
    record Zipf(
            @Key("Minimum total. | 1024 | tokens | 2..1000000000") int minTokens,
            @Key("Maximum total. | 4096 | tokens | 2..2000000") int maxTokens,
            @Key("Skew: the weight of the i-th length is i to the power of minus theta. | 0.6 | 0..100") double theta,
            @Key("Whether the frequent lengths are scattered over the range; if false, short lengths are "
                            + "frequent. | false")
                    boolean scramble,
            @Key("Prompt tokens per output token. | 20.0 | 0.000001..1000000000") double prefillToDecodeRatio,
            @Key("Seed of the lengths; null for workload.seed. | null | 0..9223372036854775807") Optional<Long> seed)
            implements LengthSettings {
        @Override
        public Optional<Long> longest() {
            return Optional.of((long) maxTokens);
        }
    }

    @Variant("log_normal | Independent log-normal prompt and output lengths.")
    record LogNormal(
            @Key("Prompt tokens. | {}") LogNormalTokens prefill,
            @Key("Output tokens. | {}") LogNormalTokens decode,
            @Key("Seed of the lengths; null for workload.seed. | null | 0..9223372036854775807") Optional<Long> seed)
            implements LengthSettings {
        @Override
        public Optional<Long> longest() {
            return Optional.of((long) prefill.max() + decode.max());
        }
    }

    @Variant(
            "distributions | Independent prompt and output lengths: a number, a range such as 1000..2000, or a log-normal"
                    + " distribution such as lognormal(mean=2000,cv=0.5), with optional min and max.")
    record Distributions(
            @Key("Prompt tokens. | 2048") String prefillTokens, @Key("Output tokens. | 512") String decodeTokens)
            implements LengthSettings {
        @Override
        public Optional<Long> longest() {
            try {
                long longest = (long) TokenDistribution.parse(prefillTokens).max()
                        + TokenDistribution.parse(decodeTokens).max();
                return Optional.of(longest).filter(tokens -> tokens < TokenDistribution.MAX_TOKENS);
            } catch (IllegalArgumentException e) {
                return Optional.empty(); // the check of the stage reports it
            }
        }
    }

    @Variant("empirical | Pairs drawn with replacement from the rows of workload.file.")
    record Empirical(
            @Key("Factor on the prompt tokens. | 1.0 | 0.000001..1000000") double prefillScale,
            @Key("Factor on the output tokens. | 1.0 | 0.000001..1000000") double decodeScale,
            @Key("Seed of the lengths; null for workload.seed. | null | 0..9223372036854775807") Optional<Long> seed)
            implements LengthSettings {}

    @Variant("trace | The rows of workload.file.")
    record Trace(
            @Key("Order of the rows. | file") RowOrder order,
            @Key("Whether to restart at the first row after the last one; if false, too few rows are an error. | "
                            + "false")
                    boolean repeat,
            @Key("Factor on the prompt tokens. | 1.0 | 0.000001..1000000") double prefillScale,
            @Key("Factor on the output tokens. | 1.0 | 0.000001..1000000") double decodeScale,
            @Key("Seed of the order; null for workload.seed. | null | 0..9223372036854775807")
                    @OnlyIf("order != file | the file defines the order | set workload.lengths.order = shuffled")
                    Optional<Long> seed)
            implements LengthSettings {}

    @Variant("list | Lengths listed in the configuration.")
    record Listed(
            @Key("Prompt tokens of each request. | required | tokens | 1..1000000000") List<Integer> prefillTokens,
            @Key("Output tokens of each request, or one value for all requests. | required | tokens | "
                            + "1..1000000000")
                    List<Integer> decodeTokens)
            implements LengthSettings {
        public Listed {
            prefillTokens = List.copyOf(prefillTokens);
            decodeTokens = List.copyOf(decodeTokens);
        }

        @Override
        public Optional<Long> longest() {
            return Optional.of(max(prefillTokens) + max(decodeTokens));
        }

        private static long max(List<Integer> tokens) {
            return tokens.stream().mapToLong(Integer::longValue).max().orElse(0);
        }
    }

    @Variant("prompts | Prompts of workload.file, tokenised with workload.tokenizer.")
    record Prompts(
            @Key("Order of the prompts. | file") RowOrder order,
            @Key("Whether to restart at the first prompt after the last one; if false, too few prompts are an "
                            + "error. | false")
                    boolean repeat,
            @Key("Output tokens of all requests; null for the values of the file. | null | tokens | 1..1000000000")
                    Optional<Integer> decodeTokens,
            @Key("Seed of the order; null for workload.seed. | null | 0..9223372036854775807")
                    @OnlyIf("order != file | the file defines the order | set workload.lengths.order = shuffled")
                    Optional<Long> seed)
            implements LengthSettings {}
}
