package dev.stagesim.serving;

import dev.stagesim.model.Access;
import dev.stagesim.model.Access.Resource;
import dev.stagesim.model.Key;
import dev.stagesim.model.OnlyIf;
import dev.stagesim.model.TraceFormat;
import dev.stagesim.model.Unwrapped;
import dev.stagesim.model.Variant;
import dev.stagesim.serving.workload.LabelSettings;
import dev.stagesim.serving.workload.LengthSettings;
import dev.stagesim.serving.workload.RowSettings;
import dev.stagesim.serving.workload.SharingSettings;
import dev.stagesim.sim.workload.Overlong;
import dev.stagesim.workload.WorkloadSettings;
import java.nio.file.Path;
import java.util.Optional;

/** Requests to a language-model service: prompt and output lengths. The section {@code arrival} sets their arrival times. */
@Variant("serving | Requests to a language-model service, with lengths and arrival times.")
public record ServingWorkload(
        @Key("Directory of a finished run that supplies the requests; null to make them. | null") Optional<Path> dir,
        @Key("Seed of all random draws; null for 42. | null | 0..9223372036854775807") Optional<Long> seed,
        @Key("Number of requests; null for all requests of the file, or all that arrive within "
                        + "workload.duration. | null | 1..1000000000")
                Optional<Integer> numRequests,
        @Key("Maximum arrival time (exclusive); null for no limit. | null | s | 0.000000001..1000000000")
                Optional<Double> duration,
        @Key("Source of prompt and output lengths. | { kind = fixed }") LengthSettings lengths,
        @Unwrapped RequestFile source,
        @Key("Maximum prompt plus output tokens of one request; null for no cap. | null | tokens | 2..1000000000")
                Optional<Integer> maxTokens,
        @Key("Handling of requests above max_tokens; null for trim_prompt, or for Vidur's method with "
                        + "compat=vidur. | null")
                @OnlyIf("max_tokens != null | there is no workload.max_tokens")
                Optional<Overlong> overlong,
        @Key("Token sharing between requests. | { kind = none }") SharingSettings sharing,
        @Key("Adapters and priorities of the requests. | {}") LabelSettings labels)
        implements WorkloadSettings {
    /** File with requests. */
    public record RequestFile(
            @Key("File with a trace, lengths or prompts. | null") Optional<Path> file,
            @Key("Format of the file; auto detects it. | auto") TraceFormat format,
            @Key("Selection of the rows of the file. | {}") RowSettings rows,
            @Key("Tokenizer for files with text: cl100k_base, o200k_base, or the path of a Hugging Face "
                            + "tokenizer.json. | null")
                    @Access(Resource.FILE)
                    Optional<String> tokenizer) {}

    private static final long DEFAULT_SEED = 42;

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

    /** Returns true if the requests are generated, so that any number of them can be drawn. */
    public boolean isDrawn() {
        return dir.isEmpty()
                && !(lengths instanceof LengthSettings.Trace
                        || lengths instanceof LengthSettings.Listed
                        || lengths instanceof LengthSettings.Prompts);
    }

    /** Returns the seed of all random draws. */
    public long drawSeed() {
        return seed.orElse(DEFAULT_SEED);
    }
}
