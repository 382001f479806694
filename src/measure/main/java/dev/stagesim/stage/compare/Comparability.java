package dev.stagesim.stage.compare;

import dev.stagesim.comparison.ComparedRun;
import dev.stagesim.io.measured.RequestRow;
import dev.stagesim.measure.CompareSettings;
import dev.stagesim.model.Count;
import dev.stagesim.model.Problem;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Reports why two runs cannot be compared, and what to change. */
final class Comparability {
    private static final String CATEGORY = "not comparable";
    private static final int MAX_SHOWN = 5;
    private final ComparedRun real;
    private final ComparedRun sim;
    private final CompareSettings settings;
    private final List<Problem> problems = new ArrayList<>();

    private Comparability(ComparedRun real, ComparedRun sim, CompareSettings settings) {
        this.real = real;
        this.sim = sim;
        this.settings = settings;
    }

    /** Returns all reasons against a comparison; empty if there are none. */
    static List<Problem> problems(ComparedRun real, ComparedRun sim, CompareSettings settings) {
        Comparability check = new Comparability(real, sim, settings);
        check.names("model", real.model(), sim.model(), false);
        check.names("hardware", real.hardware(), sim.hardware(), settings.anyHardware());
        if (!real.aggregatesOnly()) {
            check.requests();
        }
        return check.problems;
    }

    private void names(String what, Optional<String> ofReal, Optional<String> ofSim, boolean allowed) {
        if (!allowed && ofReal.isPresent() && ofSim.isPresent() && !ofReal.equals(ofSim)) {
            Problem problem = Problem.of(
                    CATEGORY,
                    what,
                    "the " + real.label() + " side ran " + verb(what) + ofReal.get() + ", the " + sim.label() + " side "
                            + verb(what) + ofSim.get());
            problems.add(
                    what.equals("hardware")
                            ? problem.hint(
                                    "set hardware=... to the measured hardware, or allow the difference with compare.any_hardware=true")
                            : problem.hint("set model=... to the measured model"));
        }
    }

    private static String verb(String what) {
        return what.equals("hardware") ? "on " : "";
    }

    private void requests() {
        Map<Long, RequestRow> simulated = new HashMap<>();
        sim.rows().forEach(row -> simulated.put(row.id(), row));
        if (real.rows().size() != sim.rows().size()
                || !real.rows().stream().allMatch(row -> simulated.containsKey(row.id()))) {
            problems.add(Problem.of(
                            CATEGORY,
                            "requests",
                            "the " + real.label() + " side has " + real.rows().size() + " requests, the "
                                    + sim.label() + " side " + sim.rows().size()
                                    + (real.rows().size() == sim.rows().size() ? " with other ids" : ""))
                    .hint("simulate the measured requests: workload.dir=<directory of the " + real.label() + " run>"));
            return;
        }
        compareRequests(
                "num_prefill_tokens",
                "prompt lengths differ",
                simulated,
                row -> false,
                (r, s) -> r.prefill() != s.prefill(),
                RequestRow::prefill);
        lengths(simulated);
        failures(simulated);
    }

    private interface Differs {
        boolean test(RequestRow real, RequestRow sim);
    }

    private void compareRequests(
            String where,
            String what,
            Map<Long, RequestRow> simulated,
            Predicate<RequestRow> exempt,
            Differs differs,
            java.util.function.ToLongFunction<RequestRow> shown) {
        List<RequestRow> different = real.rows().stream()
                .filter(row -> !exempt.test(row) && differs.test(row, row(simulated, row)))
                .toList();
        if (!different.isEmpty()) {
            String examples = different.stream()
                    .limit(MAX_SHOWN)
                    .map(row ->
                            row.id() + ": " + shown.applyAsLong(row) + " and " + shown.applyAsLong(row(simulated, row)))
                    .collect(Collectors.joining(", "));
            String more = different.size() > MAX_SHOWN ? ", ..." : "";
            problems.add(Problem.of(
                            CATEGORY,
                            where,
                            what + " for " + different.size() + " of "
                                    + real.rows().size() + " requests (" + examples + more + ")")
                    .hint("simulate the measured requests: workload.dir=<directory of the " + real.label() + " run>"));
        }
    }

    private static RequestRow row(Map<Long, RequestRow> rows, RequestRow request) {
        return java.util.Objects.requireNonNull(rows.get(request.id()));
    }

    private void lengths(Map<Long, RequestRow> simulated) {
        Predicate<RequestRow> failed =
                row -> !row.completed() || !row(simulated, row).completed();
        compareRequests(
                "num_decode_tokens_actual",
                "fewer output tokens were simulated than measured",
                simulated,
                failed,
                (r, s) -> s.actual() < r.actual(),
                RequestRow::actual);
        if (!sim.hasTokens()) {
            List<RequestRow> longer = real.rows().stream()
                    .filter(row -> !failed.test(row) && row(simulated, row).actual() > row.actual())
                    .sorted(Comparator.comparingLong(RequestRow::id))
                    .toList();
            if (!longer.isEmpty()) {
                problems.add(Problem.of(
                                CATEGORY,
                                "num_decode_tokens_actual",
                                Count.of(longer.size(), "request") + " ended earlier than simulated (the first is "
                                        + longer.get(0).id() + "), and the " + sim.label()
                                        + " side has no token_metrics.csv, so its tokens cannot be truncated")
                        .hint("simulate with token times (output.detail=full), or the measured lengths:"
                                + " workload.dir=<directory of the " + real.label() + " run>"));
            }
        }
    }

    /** Returns true for a failed request. Cancelled requests are not failures, and both sides exclude them. */
    private static boolean failed(RequestRow row) {
        return !row.completed() && !row.cancelled();
    }

    private void failures(Map<Long, RequestRow> simulated) {
        if (settings.excludeFailed()) {
            return;
        }
        long failedReal = real.rows().stream().filter(Comparability::failed).count();
        long failedSim =
                simulated.values().stream().filter(Comparability::failed).count();
        if (failedReal + failedSim > 0) {
            problems.add(Problem.of(
                            CATEGORY,
                            "status",
                            Count.of(failedReal, "request") + " did not complete on the " + real.label() + " side, "
                                    + failedSim + " on the " + sim.label() + " side")
                    .hint("compare.exclude_failed=true excludes them on both sides"));
        }
    }
}
