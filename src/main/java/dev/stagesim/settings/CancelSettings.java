package dev.stagesim.settings;

import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import java.nio.file.Path;
import java.util.Optional;

/** Which requests of a live replay the client gives up, and when: {@code endpoint.cancel}. */
public sealed interface CancelSettings permits CancelSettings.None, CancelSettings.Share, CancelSettings.Listed {
    @Variant("none | None is given up.")
    record None() implements CancelSettings {}

    @Variant("share | A share of the requests, drawn at random.")
    record Share(
            @Key("Share of the requests. | 0.1 | 0.000001..1") double share,
            @Key("Cancel after this many output chunks; null: disabled. | null | tokens | 1..1000000000")
                    Optional<Integer> afterTokens,
            @Key("Cancel this long after sending; null: disabled. | null | s | 0.000000001..1000000000")
                    Optional<Double> after,
            @Key("Seed of the draw. | 42 | 0..9223372036854775807") long seed)
            implements CancelSettings {
        /**
         * Checks that it says when.
         *
         * @throws IllegalArgumentException when neither a number of tokens nor a time is given
         */
        public Share {
            if (afterTokens.isEmpty() && after.isEmpty()) {
                throw new IllegalArgumentException(
                        "nothing says when a request is given up: set endpoint.cancel.after_tokens,"
                                + " endpoint.cancel.after or both (the first that is reached counts)");
            }
        }
    }

    @Variant("listed | Those that a file lists.")
    record Listed(
            @Key("CSV with the columns request_id, after_tokens and after_s; one of the last two may be empty, and a"
                            + " request that is not listed is not given up.")
                    Path file)
            implements CancelSettings {}
}
