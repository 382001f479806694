package dev.stagesim.settings;

import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import java.nio.file.Path;
import java.util.Optional;

/** Requests to a language-model service: prompt and output lengths; their times come from the section {@code arrival}. */
@Variant(value = "serving", doc = "Requests to a language-model service: prompt and output lengths with arrival times.")
public record ServingWorkload(
        @Key(doc = "Directory of a finished run whose requests to use instead of making them.", def = "null")
                Optional<Path> dir,
        @Key(doc = "Seed of every random draw; null for 42.", def = "null", min = "0") Optional<Long> seed,
        @Key(
                        doc = "Number of requests; null for as many as the file has, or as arrive within the duration.",
                        def = "null",
                        min = "1")
                Optional<Integer> numRequests,
        @Key(
                        doc = "Requests arrive before this time only; null for no limit.",
                        unit = "s",
                        def = "null",
                        min = "0",
                        above = true)
                Optional<Double> duration,
        @Key(doc = "Where prompt and output lengths come from.", def = "{ kind = fixed }") LengthSettings lengths,
        @Key(doc = "Trace, lengths or prompts file, for lengths or arrivals that are read.", def = "null")
                Optional<Path> file,
        @Key(doc = "Format of the file; auto looks at its content.", def = "auto") TraceFormat format,
        @Key(doc = "Which rows of the file to use.", def = "{}") RowSettings rows,
        @Key(
                        doc = "Tokenizer for files that hold text: cl100k_base, o200k_base, or the path of a Hugging"
                                + " Face tokenizer.json.",
                        def = "null")
                Optional<String> tokenizer,
        @Key(
                        doc = "Most prompt plus output tokens of one request; null for no cap.",
                        unit = "tokens",
                        def = "null",
                        min = "2")
                Optional<Integer> maxTokens,
        @Key(
                        doc = "What happens to a request over max_tokens; null for trim_prompt, or Vidur's way with"
                                + " compat=vidur.",
                        def = "null")
                Optional<Overlong> overlong)
        implements WorkloadSettings {
    private static final long USUAL_SEED = 42;

    /** The seed that draws start from. */
    public long drawSeed() {
        return seed.orElse(USUAL_SEED);
    }
}
