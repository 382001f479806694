package dev.stagesim.measure;

import dev.stagesim.model.Key;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Fit of a simulation to a measured run: the section {@code calibrate}. */
public record CalibrateSettings(
        @Key("Share of the requests that is reserved for validation. | 0.5 | 0.000001..1") double holdOut,
        @Key("Folds of a cross-validation; 0 for none. null for none, unless hold_out reserves fewer than 20 "
                        + "requests: then 8, or the number of requests if lower. | null | 0..1000")
                Optional<Integer> folds,
        @Key("Terms that may be fitted. A term keeps its value from the bundle if the run has no data for it, "
                        + "or if fitting it does not lower the error. | [step, gap, request, linear, "
                        + "step_request, token, decode_attention, cached_token, prefill_attention]")
                List<Term> terms,
        @Key("Further finished runs of real_bench for the fit: other loads on the same server, or the engine's log. "
                        + "Each load is also predicted by a fit to the others. | []")
                List<Path> runs,
        @Key("Maximum rounds of simulating and fitting. | 12 | 1..100") int rounds,
        @Key("Resamples of the intervals. | 1000 | 100..100000") int resamples,
        @Key("Seed of the selection of requests and of the resampling. | 42 | 0..9223372036854775807") long seed) {
    /** A term that can be fitted. */
    public enum Term {
        STEP, // Host time of a step.
        GAP, // Time between two steps, if an engine's log has the times of its steps.
        REQUEST, // Time from a request's arrival until it can be scheduled.
        LINEAR, // Factor of all device operators except attention.
        STEP_REQUEST, // Host time of a step per request.
        TOKEN, // Time of a step per token, beyond the operators.
        DECODE_ATTENTION, // Factor of decode attention.
        CACHED_TOKEN, // Time of a step per cached token that decoding requests read, beyond the operators.
        PREFILL_ATTENTION // Factor of prefill attention.
    }
}
