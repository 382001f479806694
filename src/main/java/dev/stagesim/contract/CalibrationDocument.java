package dev.stagesim.contract;

import java.util.List;

@Member(
        "calibration.json 4 | What was fitted to a measured run, and how far the simulation is from it before and after.")
public record CalibrationDocument(
        @Member("Full name of the model.") String model,
        @Member("Full name of the accelerator.") String hardware,
        @Member("Scheduler that the fit simulated; the bundle is for runs with the same one.") String scheduler,
        @Member("Run that was fitted to.") String realRun,
        @Member("Run with the bundle that was calibrated.") String profileRun,
        @Member("Requests of the fit.") long requestsFitted,
        @Member("Requests left out of it.") long requestsHeldOut,
        @Member("Requests that did not complete as asked: in neither part.") long requestsLeftAside,
        @Member("Rounds of simulating and fitting.") long rounds,
        @Member("Whether the last round changed nothing of note.") boolean settled,
        @Member("Sizes that the fit saw; larger ones are extrapolated.") Sizes sizes,
        @Member("The terms.") List<Term> terms,
        @Member("What speaks against the values: bounds of the fit, more memory bandwidth than there is.")
                List<String> findings,
        @Member("Errors of the simulation against the measurement, in percent of the measurement.")
                List<Errors> errors) {
    /** Largest sizes of the measured requests. */
    public record Sizes(
            @Member("Most requests in one step.") long requestsPerStep,
            @Member("Most prompt and output tokens of a request.") long tokensPerRequest) {}

    /** A term of the step times. */
    public record Term(
            @Member("Name.") String term,
            @Member("What it is.") String meaning,
            @Member("Unit; empty for a factor.") String unit,
            @Member("False when it stayed as the bundle has it.") boolean fitted,
            @Member("The value.") double value,
            @Member("Lower end of its 95 % interval.") double low,
            @Member("Upper end.") double high) {}

    /** Errors in a metric over a part of the requests. */
    public record Errors(
            @Member("fit, held_out, or cross_validated: every request by a fit to others.") String part,
            @Member("ttft, tpot or e2e.") String metric,
            @Member("Requests.") long n,
            @Member("Error of the median before.") double p50BeforePercent,
            @Member("Error of the median after.") double p50AfterPercent,
            @Member("Lower end of its 95 % interval.") double p50AfterLowPercent,
            @Member("Upper end.") double p50AfterHighPercent,
            @Member("Mean absolute error of requests before.") double meanBeforePercent,
            @Member("Mean absolute error of requests after.") double meanAfterPercent,
            @Member("Measured median over the simulated one before.") double p50RealOverBefore) {}
}
