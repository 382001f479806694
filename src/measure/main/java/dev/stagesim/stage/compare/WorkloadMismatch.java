package dev.stagesim.stage.compare;

import dev.stagesim.comparison.ComparedRun;
import dev.stagesim.comparison.Facts.Figure;
import dev.stagesim.comparison.Metric;
import dev.stagesim.io.measured.RequestRow;
import dev.stagesim.report.Numbers;
import dev.stagesim.stage.compare.Finding.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Stream;

/**
 * Detects from means and counts that published aggregates describe other requests than the simulation.
 *
 * <p>Lengths and the number of requests are inputs. A rate may also differ because only one system keeps up with the load.
 * In a closed loop it is a result.
 */
final class WorkloadMismatch {
    static final String ID = "other_requests";
    private static final double FAR_LENGTH = 1.25;
    private static final double FAR_RATE = 2;
    private static final List<Figure> COUNTS = List.of(Figure.COMPLETED, Figure.NUM_REQUESTS, Figure.NUM_PROMPTS);

    private final ComparedRun real;
    private final ComparedRun sim;
    private final List<Throughput> rates;
    private final List<String> evidence = new ArrayList<>();

    private WorkloadMismatch(ComparedRun real, ComparedRun sim, List<Throughput> rates) {
        this.real = real;
        this.sim = sim;
        this.rates = rates;
    }

    /** Returns a finding if the values differ too much. */
    static Optional<Finding> of(ComparedRun real, ComparedRun sim, List<Throughput> rates) {
        return new WorkloadMismatch(real, sim, rates).finding();
    }

    /**
     * Returns a finding if all simulated requests of a closed loop have the mean output of the aggregates: they complete, and
     * enter, together.
     */
    static Optional<Finding> equalOutputs(ComparedRun real, ComparedRun sim) {
        boolean isLoop =
                real.number(Figure.CLIENTS).filter(clients -> clients > 1).isPresent();
        boolean areEqual = sim.rows().size() > 1
                && sim.rows().stream()
                                .mapToLong(RequestRow::requested)
                                .distinct()
                                .count()
                        == 1;
        return !isLoop || !areEqual
                ? Optional.empty()
                : Finding.of(
                        "equal_outputs",
                        Kind.POSSIBLE,
                        "The simulated outputs are equal, the measured ones may have varied",
                        List.of("All simulated requests have "
                                + sim.rows().get(0).requested()
                                + " output tokens, the mean of the measurement. Equal outputs complete, and in a closed"
                                + " loop enter, together, which raises the TTFT."),
                        "If the measured outputs varied, simulate such requests with vidur_sim and set sim.dir=<its run>.");
    }

    private Optional<Finding> finding() {
        outputTokens();
        promptTokens();
        measured().ifPresent(n -> far("Requests", n, completed(), FAR_LENGTH));
        boolean given = !evidence.isEmpty();
        rate(Throughput.REQUESTS)
                .filter(r -> real.number(Figure.CLIENTS).isEmpty())
                .ifPresent(r -> far("Requests per second", r.real(), r.sim(), FAR_RATE));
        return Finding.of(
                ID,
                given ? Kind.LIKELY : Kind.POSSIBLE,
                given ? "These are not the same requests" : "These may not be the same requests",
                evidence,
                "Simulate the requests that were measured: workload.dir=<a run with their lengths and arrivals>.");
    }

    private void outputTokens() {
        Optional<Throughput> requests = rate(Throughput.REQUESTS);
        Optional<Throughput> output = rate(Throughput.OUTPUT_TOKENS);
        if (requests.isPresent() && output.isPresent()) {
            far(
                    "Output tokens per request",
                    output.get().real() / requests.get().real(),
                    output.get().sim() / requests.get().sim(),
                    FAR_LENGTH);
        }
    }

    private void promptTokens() {
        Optional<Throughput> requests = rate(Throughput.REQUESTS);
        Optional<Throughput> output = rate(Throughput.OUTPUT_TOKENS);
        Optional<Throughput> total = rate(Throughput.TOTAL_TOKENS);
        if (requests.isPresent() && output.isPresent() && total.isPresent()) {
            far(
                    "Prompt tokens per request",
                    (total.get().real() - output.get().real()) / requests.get().real(),
                    (total.get().sim() - output.get().sim()) / requests.get().sim(),
                    FAR_LENGTH);
        }
    }

    private void far(String what, double ofReal, double ofSim, double limit) {
        if (ofReal > 0 && ofSim > 0 && Math.max(ofReal / ofSim, ofSim / ofReal) > limit) {
            evidence.add(
                    what + ": " + text(ofReal) + " " + real.label() + ", " + text(ofSim) + " " + sim.label() + ".");
        }
    }

    private static String text(double value) {
        return Numbers.significant(value, value == Math.rint(value) ? 1 : 3);
    }

    private Optional<Throughput> rate(String quantity) {
        return rates.stream().filter(r -> r.quantity().equals(quantity)).findFirst();
    }

    /** Returns the number of requests of the aggregates, if stated. */
    private OptionalDouble measured() {
        Stream<Double> stated = COUNTS.stream().flatMap(count -> real.number(count).stream());
        Stream<Double> behind = real.published().stream()
                .filter(a -> a.metric().equals(Metric.E2E.key()) || a.metric().equals(Metric.TTFT.key()))
                .flatMap(a -> a.n().stream())
                .map(Long::doubleValue);
        return Stream.concat(stated, behind).mapToDouble(n -> n).max();
    }

    private double completed() {
        return sim.rows().stream().filter(RequestRow::completed).count();
    }
}
