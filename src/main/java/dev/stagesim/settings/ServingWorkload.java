package dev.stagesim.settings;

import dev.stagesim.model.Access;
import dev.stagesim.model.Access.Resource;
import dev.stagesim.model.Key;
import dev.stagesim.model.OnlyIf;
import dev.stagesim.model.TraceFormat;
import dev.stagesim.model.Variant;
import dev.stagesim.sim.workload.Overlong;
import java.nio.file.Path;
import java.util.Optional;

/** Requests to a language-model service: prompt and output lengths; their times come from the section {@code arrival}. */
@Variant("serving | Requests to a language-model service: prompt and output lengths with arrival times.")
public record ServingWorkload(
        @Key("Directory of a finished run whose requests to use instead of making them. | null") Optional<Path> dir,
        @Key("Seed of every random draw; null for 42. | null | 0..9223372036854775807") Optional<Long> seed,
        @Key(
                        "Number of requests; null for as many as the file has, or as arrive within the duration. | null | 1..1000000000")
                Optional<Integer> numRequests,
        @Key("Requests arrive before this time only; null for no limit. | null | s | 0.000000001..1000000000")
                Optional<Double> duration,
        @Key("Where prompt and output lengths come from. | { kind = fixed }") LengthSettings lengths,
        @Key("Trace, lengths or prompts file, for lengths or arrivals that are read. | null") Optional<Path> file,
        @Key("Format of the file; auto looks at its content. | auto") TraceFormat format,
        @Key("Which rows of the file to use. | {}") RowSettings rows,
        @Key("Tokenizer for files that hold text: cl100k_base, o200k_base, or the path of a Hugging Face"
                        + " tokenizer.json. | null")
                @Access(Resource.FILE)
                Optional<String> tokenizer,
        @Key("Maximum prompt plus output tokens of one request; null for no cap. | null | tokens | 2..1000000000")
                Optional<Integer> maxTokens,
        @Key("What happens to a request over max_tokens; null for trim_prompt, or Vidur's way with compat=vidur."
                        + " | null")
                @OnlyIf("max_tokens != null | there is no workload.max_tokens")
                Optional<Overlong> overlong,
        @Key("Which requests have tokens in common. | { kind = none }") SharingSettings sharing,
        @Key("Adapters and priorities of the requests. | {}") LabelSettings labels)
        implements WorkloadSettings {
    private static final long USUAL_SEED = 42;

    /** Returns a bound on the prompt plus output tokens of a request; empty if a file or a finished run decides. */
    public Optional<Long> longest() {
        if (dir.isPresent()) {
            return Optional.empty();
        }
        return maxTokens
                .map(Integer::longValue)
                .or(() -> sharing instanceof SharingSettings.Sessions || sharing instanceof SharingSettings.Agents
                        ? Optional.empty()
                        : lengths.longest());
    }

    /** The seed that draws start from. */
    public long drawSeed() {
        return seed.orElse(USUAL_SEED);
    }
}
