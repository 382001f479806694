package dev.stagesim.measure;

import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import java.nio.file.Path;
import java.util.Optional;

/** Cancellation of requests by the client of a live replay: {@code endpoint.cancel}. */
public sealed interface CancelSettings permits CancelSettings.None, CancelSettings.Share, CancelSettings.Listed {
    @Variant("none | No cancellation.")
    record None() implements CancelSettings {}

    @Variant("share | A share of the requests, drawn at random.")
    record Share(
            @Key("Share of the requests. | 0.1 | 0.000001..1") double share,
            @Key("Cancel after this number of output chunks; null for no such limit. | null | tokens | "
                            + "1..1000000000")
                    Optional<Integer> afterTokens,
            @Key("Cancel this time after sending; null for no such limit. | null | s | 0.000000001..1000000000")
                    Optional<Double> after,
            @Key("Seed of the draw. | 42 | 0..9223372036854775807") long seed)
            implements CancelSettings {
        /**
         * Checks that a condition is set.
         *
         * @throws IllegalArgumentException if neither a number of tokens nor a time is set
         */
        public Share {
            if (afterTokens.isEmpty() && after.isEmpty()) {
                throw new IllegalArgumentException(
                        "endpoint.cancel has no condition: set endpoint.cancel.after_tokens, endpoint.cancel.after or "
                                + "both (the first one reached applies)");
            }
        }
    }

    @Variant("listed | The requests listed in a file.")
    record Listed(
            @Key("CSV with the columns request_id, after_tokens and after_s. One of the last two may be empty. "
                            + "Requests that are not listed are not cancelled.")
                    Path file)
            implements CancelSettings {}
}
