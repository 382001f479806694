package dev.stagesim.io.measured;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Checks each published aggregate, and compares the aggregates with each other.
 *
 * <p>A tool writes 0, NaN or a negative number if it has no value. All aggregates of one metric come from the same
 * samples, so one such value removes the metric. Aggregates that contradict each other are an input error.
 */
final class AggregateCheck {
    /** A percentile that a mean exceeds only if a few values are very large. */
    private static final double TAIL = 0.99;

    /** The minimum. It is only used to check the other statistics. */
    static final String MIN = "min";

    private static final String TTFT = "ttft";
    private static final String TPOT = "tpot";
    private static final String E2E = "e2e";
    private static final String GAP = "token_gap";

    /** Tools round values, and some leave requests out of one metric only. */
    private static final double TOLERANCE = 1.05;

    private static final double TOLERANCE_NS = 5e6;

    /**
     * Percentiles of few values are interpolated, so they limit the mean by this share of the maximum less exactly. Below four
     * values, a percentile that is not interpolated can exclude more; such files are refused.
     */
    private static final double INTERPOLATED = 0.25;

    /** A mean over gaps gives long requests more weight than a mean over requests. */
    private static final double MEANS_TOLERANCE = 1.5;

    /** Maximum plausible tokens per chunk; speculative decoding accepts fewer tokens in a step. */
    private static final double MAX_TOKENS_PER_CHUNK = 8;

    private static final double MIN_TOKENS_PER_CHUNK = 0.5;

    /** A published aggregate and its place in the file. */
    record Figure(Published published, String where) {
        private String name() {
            return published.metric() + " " + published.statistic();
        }

        private double ns() {
            return published.valueNs();
        }

        private String text() {
            return name() + " is " + ToolUnits.ms(ns());
        }

        private boolean isOf(String metric, String statistic) {
            return published.metric().equals(metric) && published.statistic().equals(statistic);
        }
    }

    private final Map<String, List<Figure>> metrics = new LinkedHashMap<>();
    private final Set<String> leftOut = new LinkedHashSet<>();
    private final List<Problem> problems = new ArrayList<>();
    private final Consumer<String> warnings;

    private AggregateCheck(Collection<Figure> figures, Consumer<String> warnings) {
        this.warnings = warnings;
        figures.forEach(figure -> metrics.computeIfAbsent(
                        figure.published().metric() + figure.published().definition(), metric -> new ArrayList<>())
                .add(figure));
    }

    /**
     * Returns the plausible aggregates.
     *
     * @param outputTokens mean output tokens of a request; 0 if unknown
     */
    static List<Published> accepted(Collection<Figure> figures, double outputTokens, Consumer<String> warnings) {
        AggregateCheck check = new AggregateCheck(figures, warnings);
        check.metrics.values().forEach(AggregateCheck::dropUnmeasuredMinimum);
        check.metrics.values().removeIf(List::isEmpty);
        check.metrics.values().forEach(check::values);
        check.metrics.values().removeIf(List::isEmpty);
        check.metrics.values().forEach(check::order);
        check.metrics.values().forEach(check::meanOfPercentiles);
        check.bounds();
        check.product(outputTokens);
        check.tokenGaps(outputTokens);
        StageException.refuse(check.problems);
        return check.figures().stream()
                .map(Figure::published)
                .filter(figure -> !figure.statistic().equals(MIN))
                .toList();
    }

    private List<Figure> figures() {
        return metrics.values().stream().flatMap(List::stream).toList();
    }

    /** Tools write 0 as the minimum of a metric that they did not measure in every request. */
    private static void dropUnmeasuredMinimum(List<Figure> metric) {
        metric.removeIf(figure -> figure.published().statistic().equals(MIN) && !(figure.ns() > 0));
    }

    /** Removes a metric with an impossible value. */
    private void values(List<Figure> metric) {
        String name = metric.get(0).published().metric();
        boolean mayBeZero = name.equals(GAP) || name.equals(TPOT);
        if (metric.stream().allMatch(figure -> figure.ns() == 0 || Double.isNaN(figure.ns()))) {
            leaveOut(
                    metric,
                    "not measured: " + metric.get(0).text() + " in "
                            + metric.get(0).where());
            return;
        }
        Optional<Figure> wrong = metric.stream()
                .filter(figure -> !Double.isNaN(figure.ns()))
                .filter(figure -> !ToolUnits.isDuration(figure.ns()) || (figure.ns() == 0 && !mayBeZero))
                .findFirst();
        if (wrong.isPresent()) {
            leaveOut(metric, wrong.get().where() + ": " + wrong.get().text() + ", expected above 0 and below a year");
            return;
        }
        for (Figure figure : List.copyOf(metric)) {
            if (Double.isNaN(figure.ns()) || (figure.ns() == 0 && name.equals(TPOT))) {
                metric.remove(figure);
                warnings.accept(figure.name() + " is left out: " + (figure.ns() == 0 ? "0" : "no number") + " in "
                        + figure.where());
            }
        }
    }

    private void leaveOut(List<Figure> metric, String reason) {
        String name = metric.get(0).published().metric();
        leftOut.add(name);
        warnings.accept("all " + metric.size() + " values of " + name + " are left out: " + reason);
        metric.clear();
    }

    /** Checks that percentiles rise to the maximum and that the mean is between them. */
    private void order(List<Figure> metric) {
        for (Figure low : metric) {
            for (Figure high : metric) {
                double lower = quantile(low);
                double upper = quantile(high);
                boolean falls = lower < upper && low.ns() > high.ns() * (1 + 1e-6);
                boolean isMean = low.published().statistic().equals("mean");
                boolean aboveMax = isMean && upper == 1 && low.ns() > high.ns() * (1 + 1e-6);
                // a share of 1 - q of the values is at least the quantile q
                boolean belowTail = isMean && upper < 1 && low.ns() * TOLERANCE < high.ns() * (1 - upper);
                if (isMean && upper >= TAIL && upper < 1 && low.ns() > high.ns() * TOLERANCE) {
                    aboveTail(metric, low, high);
                }
                if (falls || aboveMax || belowTail) {
                    contradiction(low, high, falls || aboveMax ? "at most" : "closer to");
                }
            }
        }
    }

    /** A mean above a high percentile needs a few very long times, up to the maximum. */
    private void aboveTail(List<Figure> metric, Figure mean, Figure tail) {
        double share = quantile(tail);
        Optional<Figure> max =
                metric.stream().filter(figure -> quantile(figure) == 1).findFirst();
        if (max.isPresent()
                && mean.ns()
                        > TOLERANCE
                                * (share * tail.ns() + (1 - share) * max.get().ns())) {
            contradiction(mean, tail, "at most about");
        } else {
            warnings.accept(
                    mean.text() + " in " + mean.where() + ", above " + tail.name() + ", " + ToolUnits.ms(tail.ns())
                            + " in " + tail.where() + ": a few times are very long, or one of the two is wrong");
        }
    }

    /** A share of the values is at most each percentile, so the percentiles limit the mean. */
    private void meanOfPercentiles(List<Figure> metric) {
        List<Figure> rising = metric.stream()
                .filter(figure -> !Double.isNaN(quantile(figure)))
                .sorted(Comparator.comparingDouble(AggregateCheck::quantile))
                .toList();
        Optional<Figure> mean = metric.stream()
                .filter(figure -> figure.published().statistic().equals("mean"))
                .findFirst();
        if (rising.isEmpty() || mean.isEmpty()) {
            return;
        }
        double sum = 0;
        double below = 0;
        for (Figure figure : rising) {
            sum += (quantile(figure) - below) * figure.ns();
            below = quantile(figure);
        }
        Figure last = rising.get(rising.size() - 1);
        sum += (1 - below) * last.ns();
        if (below < TAIL || mean.get().ns() <= TOLERANCE * sum + INTERPOLATED * last.ns()) {
            return;
        }
        if (below == 1) {
            contradiction(mean.get(), last, "about at most " + ToolUnits.ms(sum) + " by the percentiles up to");
        } else if (mean.get().ns() <= TOLERANCE * last.ns()) {
            warnings.accept(mean.get().text() + " in " + mean.get().where() + ", expected at most about "
                    + ToolUnits.ms(sum) + " by the percentiles up to " + last.name()
                    + ": a few times are very long, or one of the values is wrong");
        }
    }

    /** Returns the quantile of a percentile, 1 for the maximum, or NaN for the mean. */
    static double quantile(Figure figure) {
        String statistic = figure.published().statistic();
        return switch (statistic) {
            case "mean" -> Double.NaN;
            case MIN -> 0;
            case "max" -> 1;
            default -> Double.parseDouble(statistic.substring(1)) / 100;
        };
    }

    private void contradiction(Figure figure, Figure bound, String relation) {
        problems.add(Problem.artifact(
                figure.where(),
                figure.text() + ", expected " + relation + " " + bound.name() + ", " + ToolUnits.ms(bound.ns()) + " in "
                        + bound.where()));
    }

    /** No part of a request takes longer than the request. */
    private void bounds() {
        for (Figure whole : figures()) {
            if (!whole.published().metric().equals(E2E)) {
                continue;
            }
            for (Figure part : figures()) {
                String statistic = whole.published().statistic();
                boolean comparable = part.isOf(part.published().metric(), statistic)
                        && (!part.published().metric().equals(GAP) || statistic.equals("max"));
                boolean isBounded = comparable || statistic.equals("max");
                if (isBounded && part.ns() > whole.ns() * TOLERANCE + TOLERANCE_NS) {
                    exceeds(part, whole);
                }
            }
        }
    }

    /**
     * A time per token starts at the first token. Without a valid time to first token it is left out; otherwise the two
     * values contradict each other.
     */
    private void exceeds(Figure part, Figure whole) {
        if (part.published().metric().equals(TPOT) && leftOut.contains(TTFT)) {
            metrics.values().stream()
                    .filter(metric -> metric.contains(part))
                    .forEach(metric -> leaveOut(
                            metric,
                            part.where() + ": " + part.text() + ", but " + whole.text()
                                    + ", and this metric starts at the first token; its time is omitted too"));
        } else if (!leftOut.contains(part.published().metric())) {
            contradiction(part, whole, "at most");
        }
    }

    /**
     * Compares the time of all tokens with the latency. Means may violate the bound if output lengths vary widely, so a
     * violation is only a warning.
     */
    private void product(double tokens) {
        Optional<Figure> each = mean(TPOT);
        Optional<Figure> whole = mean(E2E);
        if (tokens <= 1 || each.isEmpty() || whole.isEmpty()) {
            return;
        }
        double decode = each.get().ns() * (tokens - 1);
        if (decode > whole.get().ns() * 2 * TOLERANCE && leftOut.contains(TTFT)) {
            exceeds(each.get(), whole.get());
        } else if (decode > whole.get().ns() * TOLERANCE + TOLERANCE_NS) {
            warnings.accept(each.get().text() + " at " + tokens + " output tokens per request, but "
                    + whole.get().text()
                    + " (expected at least " + ToolUnits.ms(decode)
                    + "): one of these values is wrong, or lengths differ"
                    + " very much between requests");
        }
    }

    /**
     * Compares the mean gap between chunks with the mean time per token. With one token per chunk they differ only
     * because the gaps weight long requests more. With k tokens per chunk the gap is k times as long, and no chunk has
     * more tokens than the request.
     */
    private void tokenGaps(double tokens) {
        Optional<Figure> gap = mean(GAP);
        Optional<Figure> each = mean(TPOT);
        if (gap.isEmpty() || each.isEmpty()) {
            return;
        }
        double perChunk = gap.get().ns() / each.get().ns();
        if (tokens > 1 && perChunk > MEANS_TOLERANCE * (tokens - 1)) {
            problems.add(Problem.artifact(
                    gap.get().where(),
                    gap.get().text() + ", expected at most "
                            + ToolUnits.ms(
                                    MEANS_TOLERANCE * (tokens - 1) * each.get().ns())
                            + ": " + each.get().text() + " in " + each.get().where() + ", and a request has " + tokens
                            + " output tokens"));
        } else if (perChunk > MAX_TOKENS_PER_CHUNK || perChunk < MIN_TOKENS_PER_CHUNK) {
            warnings.accept(gap.get().text() + " in " + gap.get().where() + ", expected from "
                    + ToolUnits.ms(MIN_TOKENS_PER_CHUNK * each.get().ns()) + " to "
                    + ToolUnits.ms(MAX_TOKENS_PER_CHUNK * each.get().ns()) + " because "
                    + each.get().text()
                    + ": streamed chunks have about " + perChunk + " tokens, or one of the two is wrong");
        }
    }

    private Optional<Figure> mean(String metric) {
        return figures().stream().filter(figure -> figure.isOf(metric, "mean")).findFirst();
    }
}
