package dev.stagesim.io.measured;

import dev.stagesim.io.measured.AggregateCheck.Figure;
import dev.stagesim.io.measured.Requests.Request;
import dev.stagesim.io.measured.RunCheck.Stated;
import dev.stagesim.model.Nanos;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.stats.Moments;
import dev.stagesim.stats.Quantiles;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;

/**
 * Compares the aggregates that a file states with the same aggregates of its requests. A large difference is an error, a
 * moderate one a warning: tools round values, count tokens twice, and leave requests out of one metric only.
 */
final class DerivedCheck {
    private static final double MAX_FACTOR = 2;
    private static final double WARNED_SHARE = 0.25;
    private static final double MIN_DIFFERENCE_NS = 5e5;

    private final int requests;
    private final List<Request> completed;
    private final boolean countsWaits;
    private final Consumer<String> warnings;
    private final List<Problem> problems = new ArrayList<>();

    /** Times of all requests by metric, in ascending order. */
    private final Map<String, double[]> sorted = new HashMap<>();

    /** @param countsWaits true if the times of the requests include a wait that the stated times may leave out */
    DerivedCheck(List<Request> requests, boolean countsWaits, Consumer<String> warnings) {
        this.requests = requests.size();
        this.completed = requests.stream().filter(Request::completed).toList();
        this.countsWaits = countsWaits;
        this.warnings = warnings;
    }

    /** True if two values differ by more than the factor that is an error. */
    static boolean isContradiction(double stated, double derived, double minDifference) {
        return Math.abs(stated - derived) > minDifference
                && Math.max(stated, derived) > MAX_FACTOR * Math.min(stated, derived);
    }

    void check(Collection<Figure> figures, Map<RunFact, Stated> facts, Map<String, Stated> rates) {
        if (completed.isEmpty()) {
            return;
        }
        figures.forEach(this::figure);
        instant();
        total(facts.get(RunFact.COMPLETED_REQUESTS), completed.size(), "completed requests");
        Stated sent = facts.get(RunFact.SENT_REQUESTS);
        if (sent != null && sent.value() > (1 + WARNED_SHARE) * requests) {
            warnings.accept(sent.where() + " is " + sent.value() + " requests, but the file contains " + requests);
        }
        total(facts.get(RunFact.PROMPT_TOKENS), sum(completed.stream().mapToDouble(Request::prefill)), "prompt tokens");
        total(facts.get(RunFact.OUTPUT_TOKENS), sum(completed.stream().mapToDouble(Request::actual)), "output tokens");
        Stated duration = facts.get(RunFact.DURATION_NS);
        if (duration != null && duration.value() > 0) {
            double busy = sum(completed.stream().mapToDouble(r -> r.completion() - r.arrival()));
            total(rates.get("mean_concurrency"), busy / duration.value(), "requests in flight on average");
        }
        StageException.refuse(problems);
    }

    /** Tools that did not time the chunks write 0 for each gap. */
    private void instant() {
        List<Request> several = completed.stream().filter(r -> r.actual() > 1).toList();
        if (!several.isEmpty() && several.stream().allMatch(r -> r.completion() == r.first())) {
            warnings.accept(
                    "every request with several output tokens ends at its first token, expected later: the time per"
                            + " token and the latency are not measured, or the responses were not streamed");
        }
    }

    private static double sum(DoubleStream values) {
        return values.sum();
    }

    private void total(@Nullable Stated stated, double derived, String what) {
        if (stated == null) {
            return;
        }
        String text = "is " + stated.value() + " " + what + ", expected " + derived + " by the requests of the file";
        if (isContradiction(stated.value(), derived, 0)) {
            problems.add(Problem.artifact(stated.where(), text));
        } else if (Math.abs(stated.value() - derived) > WARNED_SHARE * derived) {
            warnings.accept(stated.where() + " " + text);
        }
    }

    private void figure(Figure figure) {
        Published stated = figure.published();
        boolean isWeighted = stated.method().filter(Published.WEIGHTED::equals).isPresent();
        boolean isCompared = !isWeighted && !stated.metric().equals("norm_latency");
        if (!isCompared || Double.isNaN(stated.valueNs()) || stated.valueNs() == 0) {
            return;
        }
        double[] times = sorted.computeIfAbsent(
                stated.metric(), metric -> times(metric).sorted().toArray());
        if (times.length == 0) {
            return;
        }
        double quantile = AggregateCheck.quantile(figure);
        double derived = Double.isNaN(quantile)
                ? Moments.mean(times(stated.metric()).toArray())
                : Quantiles.ofSorted(times, quantile);
        boolean mayBeShorter = countsWaits
                && (stated.metric().equals("ttft") || stated.metric().equals("e2e"));
        if (mayBeShorter && stated.valueNs() < derived) {
            return;
        }
        String text = "is a " + stated.metric() + " " + stated.statistic() + " of " + ToolUnits.ms(stated.valueNs())
                + ", expected " + ToolUnits.ms(derived) + " by the requests of the file";
        // gaps differ between versions: some spread a chunk over its tokens
        boolean isExact = !stated.metric().equals("token_gap");
        if (isExact && isContradiction(stated.valueNs(), derived, MIN_DIFFERENCE_NS)) {
            problems.add(Problem.artifact(figure.where(), text));
        } else if (stated.statistic().equals("mean")
                && Math.abs(stated.valueNs() - derived) > WARNED_SHARE * derived + Nanos.NS_PER_MS) {
            warnings.accept(figure.where() + " " + text);
        }
    }

    private DoubleStream times(String metric) {
        return completed.stream().flatMapToDouble(request -> request.times(metric));
    }
}
