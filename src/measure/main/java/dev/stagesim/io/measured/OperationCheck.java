package dev.stagesim.io.measured;

import dev.stagesim.io.measured.Operations.Collective;
import dev.stagesim.io.measured.Operations.Operator;
import dev.stagesim.io.measured.Operations.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Consumer;

/** Checks that timed operators, collectives and steps can be true. */
final class OperationCheck {
    private static final String UNNAMED = "(unnamed)";
    private static final double MAX_GBS = 1e9;

    /** Shorter than the kernel launches of any engine step. */
    private static final double MIN_STEP_NS = 20_000;

    /** Rounding of printed times and bandwidths. */
    private static final double TOLERANCE = 0.05;

    private static final double PRINTED = 0.01;

    private OperationCheck() {}

    /**
     * Returns the plausible rows.
     *
     * @param places place of each operator in the file, then of each collective, then of each step
     */
    static Operations accepted(Operations all, List<String> places, Consumer<String> warnings) {
        List<Operator> rows = new ArrayList<>();
        RejectedRecords operators = new RejectedRecords("operator");
        for (int i = 0; i < all.rows().size(); i++) {
            Operator row = all.rows().get(i);
            String where = places.get(i);
            wrong(row)
                    .ifPresentOrElse(
                            what -> operators.add(where, "operator '" + row.name() + "' " + what),
                            () -> rows.add(named(row)));
        }
        operators.among(all.rows().size()).ifPresent(warnings);
        List<Collective> collectives = new ArrayList<>();
        RejectedRecords lines = new RejectedRecords("line");
        for (int i = 0; i < all.collectives().size(); i++) {
            Collective row = all.collectives().get(i);
            String where = places.get(all.rows().size() + i);
            wrong(row).ifPresentOrElse(what -> lines.add(where, what), () -> collectives.add(row));
        }
        lines.among(all.collectives().size()).ifPresent(warnings);
        List<Step> steps = new ArrayList<>();
        RejectedRecords wrongSteps = new RejectedRecords("step");
        int before = all.rows().size() + all.collectives().size();
        for (int i = 0; i < all.steps().size(); i++) {
            Step step = all.steps().get(i);
            String where = places.get(before + i);
            wrong(step).ifPresentOrElse(what -> wrongSteps.add(where, what), () -> steps.add(step));
        }
        wrongSteps.among(all.steps().size()).ifPresent(warnings);
        return new Operations(rows, collectives, steps);
    }

    private static Optional<String> wrong(Step step) {
        boolean isCounted = isCount(step.prefillRequests(), step.prefillTokens())
                && isCount(step.decodeRequests(), step.decodeTokens())
                && step.requests() > 0;
        if (!isCounted) {
            return Optional.of("has " + step.prefillRequests() + " prefill requests with " + step.prefillTokens()
                    + " tokens and " + step.decodeRequests() + " decode requests with " + step.decodeTokens()
                    + " tokens, expected at least one request, and at least one token for each");
        }
        return step.timeNs() >= MIN_STEP_NS && ToolUnits.isDuration(step.timeNs())
                ? Optional.empty()
                : Optional.of(
                        "takes " + ToolUnits.ms(step.timeNs()) + ", expected from " + ToolUnits.ms(MIN_STEP_NS)
                                + " to below a year: with asynchronous scheduling an engine may log a step when it is submitted");
    }

    private static boolean isCount(long requests, long tokens) {
        return requests >= 0 && tokens >= requests && tokens <= Integer.MAX_VALUE && (requests > 0 || tokens == 0);
    }

    /** Profilers write ranges and events without a name or a category. */
    private static Operator named(Operator row) {
        return new Operator(
                row.device(),
                row.category().isBlank() ? UNNAMED : row.category(),
                row.name().isBlank() ? UNNAMED : row.name(),
                row.count(),
                row.totalNs(),
                row.minNs(),
                row.maxNs());
    }

    private static Optional<String> wrong(Operator row) {
        double total = row.totalNs();
        if (row.count() < 0) {
            return Optional.of("has " + row.count() + " calls, expected at least 0");
        }
        // in a mean over ranks, a call that only some ranks make may count as zero calls
        boolean isOrdered = ToolUnits.isDuration(row.minNs())
                && ToolUnits.isDuration(row.maxNs())
                && ToolUnits.isDuration(total)
                && row.minNs() <= row.maxNs()
                && total <= (row.count() + 1.0) * (row.maxNs() + 1.0)
                && total >= (row.count() - 1.0) * (row.minNs() - 1.0);
        return isOrdered
                ? Optional.empty()
                : Optional.of("has " + row.count() + " calls of " + ToolUnits.ms(row.minNs()) + " to "
                        + ToolUnits.ms(row.maxNs())
                        + " and a total of " + ToolUnits.ms(total)
                        + ", expected times from 0 to below a year, and a total that fits the number of calls");
    }

    private static Optional<String> wrong(Collective row) {
        if (row.collective().isBlank()) {
            return Optional.of("has no name of a collective");
        }
        if (row.ranks() < 1 || row.bytes() < 0) {
            return Optional.of(
                    "has " + row.ranks() + " ranks and " + row.bytes() + " bytes, expected at least 1 and 0");
        }
        if (!(row.timeNs() > 0) || !ToolUnits.isDuration(row.timeNs())) {
            return Optional.of("has a time of " + ToolUnits.ms(row.timeNs()) + ", expected above 0 and below a year");
        }
        if (!isRate(row.algorithmGbs()) || !isRate(row.busGbs())) {
            return Optional.of("has an algorithm bandwidth of " + row.algorithmGbs() + " and a bus bandwidth of "
                    + row.busGbs() + " GB/s, expected 0 to " + MAX_GBS);
        }
        if (!BandwidthRatios.fits(row, row.collective())) {
            OptionalDouble factor = BandwidthRatios.busFactor(row.collective(), row.ranks());
            return Optional.of("has a bus bandwidth of " + row.busGbs() + " and an algorithm bandwidth of "
                    + row.algorithmGbs() + " GB/s, but their ratio in " + row.collective() + " on " + row.ranks()
                    + " ranks is " + factor.getAsDouble());
        }
        if (!BandwidthRatios.hasKnownRatio(row)) {
            return Optional.of("has a bus bandwidth of " + row.busGbs() + " and an algorithm bandwidth of "
                    + row.algorithmGbs() + " GB/s, but no collective on " + row.ranks()
                    + " ranks has their ratio, expected 1, (n - 1) / n or 2 (n - 1) / n with n = " + row.ranks());
        }
        double computed = row.bytes() / row.timeNs();
        boolean isKnown =
                BandwidthRatios.busFactor(row.collective(), row.ranks()).isPresent();
        return !isKnown || Math.abs(row.algorithmGbs() - computed) <= PRINTED + TOLERANCE * computed
                ? Optional.empty()
                : Optional.of("has an algorithm bandwidth of " + row.algorithmGbs() + " GB/s, but " + row.bytes()
                        + " bytes in " + ToolUnits.ms(row.timeNs()) + " are " + computed + " GB/s");
    }

    private static boolean isRate(double gbs) {
        return gbs >= 0 && gbs <= MAX_GBS;
    }
}
