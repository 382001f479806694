package dev.stagesim.serving;

import dev.stagesim.contract.Member;
import java.util.List;

/**
 * The artifact {@code calibration.json}: the terms that the stage {@code calibrate} fitted, and the errors before and
 * after.
 */
@Member("calibration.json 5 | Terms fitted to a measured run, and the errors of the simulation before and after.")
public record CalibrationDocument(
        @Member("Full name of the model.") String model,
        @Member("Full name of the accelerator.") String hardware,
        @Member("Scheduler of the simulated runs; the bundle applies to the same scheduler.") String scheduler,
        @Member("Measured run, the first if there are several.") String realRun,
        @Member("Measured runs with requests.") List<String> requestRuns,
        @Member("Run with the bundle that was calibrated.") String profileRun,
        @Member("Requests of the fit.") long requestsFitted,
        @Member("Requests held out of the fit.") long requestsHeldOut,
        @Member("Requests that did not complete as requested; in neither part.") long requestsLeftAside,
        @Member("Steps of an engine's log in the fit.") long stepsFitted,
        @Member("Steps of an engine's log held out of the fit.") long stepsHeldOut,
        @Member("Rounds of simulation and fit.") long rounds,
        @Member("Whether the last round changed no term significantly.") boolean settled,
        @Member("Largest sizes of the fit; larger sizes are extrapolated.") Sizes sizes,
        @Member("The terms.") List<Term> terms,
        @Member("Doubts about the values: bounds of the fit, impossible memory bandwidth.") List<String> findings,
        @Member("Errors of the simulation against the measurement, in percent of the measurement.")
                List<Errors> errors) {
    /** Largest sizes of the measured requests. */
    public record Sizes(
            @Member("Maximum requests per step.") long requestsPerStep,
            @Member("Maximum prompt plus output tokens of a request.") long tokensPerRequest) {}

    /** A term of the step times. */
    public record Term(
            @Member("Name.") String term,
            @Member("Meaning.") String meaning,
            @Member("Unit; empty for a factor.") String unit,
            @Member("False if it is the value of the bundle.") boolean fitted,
            @Member("The value.") double value,
            @Member("Lower end of its 95 % interval.") double low,
            @Member("Upper end.") double high) {}

    /** Errors of one metric over a subset of the requests. */
    public record Errors(
            @Member("fit, held_out, cross_validated: each request with a fit to the others, or unseen_load with the "
                            + "number of the run: the requests of a run with a fit to the other runs.")
                    String part,
            @Member("ttft, tpot, e2e, or step: groups of logged steps of similar size.") String metric,
            @Member("Requests, or groups of steps.") long n,
            @Member("Error of the median before.") double p50BeforePercent,
            @Member("Error of the median after.") double p50AfterPercent,
            @Member("Lower end of its 95 % interval.") double p50AfterLowPercent,
            @Member("Upper end.") double p50AfterHighPercent,
            @Member("Mean absolute error of requests before.") double meanBeforePercent,
            @Member("Mean absolute error of requests after.") double meanAfterPercent,
            @Member("Measured median divided by the simulated one before.") double p50RealOverBefore) {}
}
