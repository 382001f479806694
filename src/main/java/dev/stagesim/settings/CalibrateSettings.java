package dev.stagesim.settings;

import dev.stagesim.model.Key;
import java.util.List;
import java.util.Optional;

/** How a simulation is fitted to a measured run: the section {@code calibrate}. */
public record CalibrateSettings(
        @Key("Share of the requests that is left out of the fit, to validate it on. | 0.5 | 0.000001..1")
                double holdOut,
        @Key("Parts into which the requests are divided for a cross-validation: each part is predicted by a fit to"
                        + " the others. 0 for none; null for 8, or as many as there are requests, when hold_out leaves"
                        + " fewer than 20 to validate on, else none. | null | 0..1000")
                Optional<Integer> folds,
        @Key("Terms that may be fitted; those that the run says nothing about, or that do not lower the error,"
                        + " stay as the bundle has them. | [step, request, linear, step_request, decode_attention,"
                        + " prefill_attention]")
                List<Term> terms,
        @Key("Maximum rounds of simulating and fitting. | 12 | 1..100") int rounds,
        @Key("Resamples of the intervals. | 1000 | 100..100000") int resamples,
        @Key("Seed of the choice of requests and of the resampling. | 42 | 0..9223372036854775807") long seed) {
    /** What can be fitted. */
    public enum Term {
        STEP, // Time of the host in every step.
        REQUEST, // Time from a request's arrival until it can be scheduled.
        LINEAR, // Factor of all operators on the device but attention.
        STEP_REQUEST, // Time of the host for each request of a step.
        DECODE_ATTENTION, // Factor of decode attention.
        PREFILL_ATTENTION // Factor of prefill attention.
    }
}
