package dev.stagesim.stage.compare;

import dev.stagesim.comparison.ComparedRun;
import dev.stagesim.comparison.Metric;
import dev.stagesim.comparison.TokenGaps;
import dev.stagesim.model.Count;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.TimeScale;
import dev.stagesim.stage.compare.Alignment.Pair;
import dev.stagesim.stage.compare.Finding.Kind;
import dev.stagesim.stats.Moments;
import dev.stagesim.stats.Quantiles;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * Finds likely causes of the difference between two runs, with evidence.
 *
 * <p>The thresholds of the rules are in {@code specs/comparison.md}. A new rule is a class and a line in {@link #RULES}.
 */
record Diagnosis(
        ComparedRun real,
        ComparedRun sim,
        Alignment alignment,
        List<MetricResult> metrics,
        Comparison.GapPair gaps,
        Optional<NoiseFloor> noise,
        Optional<Comparison.ClockNoise> clock) {
    /** Maximum coefficient of variation of steady times. */
    static final double STEADY_CV = 0.05;

    private static final double NOTABLE_PERCENT = 10;
    private static final double QUEUE_PERCENT = 25;
    private static final double ARRIVAL_SLACK_NS = 1e6;
    private static final double COLD_START = 1.25;
    private static final int SMALL_SAMPLE = 20;

    /** Derives a finding from a comparison, independently of other rules. */
    interface Rule {
        Optional<Finding> finding(Diagnosis d);
    }

    /** Rules in display order. Of the rules in one list, the first match counts. */
    private static final List<List<Rule>> RULES = List.of(
            List.of(HostBound::simulated, HostBound::measured, Diagnosis::constantFactor),
            List.of(Diagnosis::queueing),
            List.of(SettingsDiff::otherEngine),
            List.of(SettingsDiff::kvBlocks),
            List.of(SettingsDiff::others),
            List.of(Diagnosis::arrivals),
            List.of(Diagnosis::definitions),
            List.of(Diagnosis::coldStart),
            List.of(Diagnosis::smallSample),
            List.of(Diagnosis::thinned),
            List.of(d -> d.noise().flatMap(NoiseFloor::finding)),
            List.of(d -> d.clock().flatMap(Comparison.ClockNoise::finding)));

    /** Returns the findings, the most likely first. */
    List<Finding> findings() {
        return RULES.stream()
                .flatMap(rules -> rules.stream()
                        .flatMap(rule -> rule.finding(this).stream())
                        .limit(1))
                .sorted(Comparator.comparing(Finding::kind))
                .toList();
    }

    List<Pair> pairs() {
        return alignment.pairs();
    }

    Optional<MetricResult> metric(Metric metric) {
        return metrics.stream().filter(m -> m.metric() == metric).findFirst();
    }

    private Load load(ToDoubleFunction<Pair> arrival, ToDoubleFunction<Pair> completion) {
        return Load.of(
                pairs().stream().mapToDouble(arrival).toArray(),
                pairs().stream().mapToDouble(completion).toArray());
    }

    Load realLoad() {
        return load(p -> p.real().arrival(), p -> p.real().completion());
    }

    /** All requests differ by one factor, so the device's speed is wrong, not the schedule. */
    private Optional<Finding> constantFactor() {
        Optional<MetricResult> tpot = metric(Metric.TPOT);
        if (tpot.isEmpty()
                || tpot.get().real().length < 3
                || Math.abs(tpot.get().row("p50").percent()) < NOTABLE_PERCENT) {
            return Optional.empty();
        }
        double[] ratios = pairs().stream()
                .filter(p -> p.tokens() > 1 && p.tpotReal() > 0)
                .mapToDouble(p -> p.tpotSim() / p.tpotReal())
                .toArray();
        if (ratios.length < 3) {
            return Optional.empty();
        }
        Moments spread = Moments.of(ratios);
        if (spread.cv() > STEADY_CV) {
            return Optional.empty();
        }
        return Optional.of(new Finding(
                "constant_factor",
                Kind.LIKELY,
                "Every request is off by nearly the same factor: operator times are off, not the schedule",
                List.of("Simulated TPOT is " + Numbers.significant(spread.mean(), 3) + "× the "
                        + real().label()
                        + " one, coefficient of variation over " + spread.n() + " requests "
                        + Numbers.share(100 * spread.cv(), 1) + "."),
                "Check the profiling bundle: efficiency factors, data type and clock of the device."));
    }

    /** Times per token agree but first tokens differ, so the queueing differs. */
    private Optional<Finding> queueing() {
        Optional<MetricResult> tpot = metric(Metric.TPOT);
        MetricResult ttft = metric(Metric.TTFT).orElseThrow();
        boolean paceFits = tpot.isPresent() && Math.abs(tpot.get().row("p50").percent()) < NOTABLE_PERCENT;
        if (!paceFits || Math.abs(ttft.row("p50").percent()) < QUEUE_PERCENT) {
            return Optional.empty();
        }
        Load simLoad = load(p -> p.sim().arrival(), Pair::simCompletion);
        List<String> evidence = new ArrayList<>();
        evidence.add("TPOT P50 differs by "
                + Numbers.percent(tpot.orElseThrow().row("p50").percent()) + " only, TTFT P50 by "
                + Numbers.percent(ttft.row("p50").percent()) + ".");
        evidence.add("Maximum requests in flight: " + realLoad().maxInFlight() + " "
                + real().label() + ", " + simLoad.maxInFlight() + " "
                + sim().label() + ".");
        double[] delays = pairs().stream()
                .filter(p -> p.sim().schedulingDelay() >= 0)
                .mapToDouble(p -> p.sim().schedulingDelay())
                .toArray();
        if (delays.length > 0) {
            double wait = Quantiles.of(delays, 0.5);
            evidence.add(
                    "Simulated requests wait " + TimeScale.fit(wait).withUnit(wait) + " (P50) for their first batch.");
        }
        return Optional.of(new Finding(
                "queueing",
                Kind.LIKELY,
                "Decoding fits, waiting and prefill do not: admission, prefill times or KV memory differ",
                evidence,
                "Compare the scheduler's limits, the number of KV blocks, prefix caching and the prefill rows"
                        + " of the bundle."));
    }

    /** The arrival times differ. */
    private Optional<Finding> arrivals() {
        double shift = pairs().get(0).real().arrival() - pairs().get(0).sim().arrival();
        Pair worst = pairs().stream()
                .max(Comparator.comparingDouble(p -> apart(p, shift)))
                .orElseThrow();
        double maxShift = apart(worst, shift);
        if (maxShift <= ARRIVAL_SLACK_NS) {
            return Optional.empty();
        }
        TimeScale scale = TimeScale.fit(maxShift);
        return Optional.of(new Finding(
                "arrivals",
                Kind.LIKELY,
                "Requests do not arrive at the same times on both sides",
                List.of("Arrivals differ by up to " + scale.withUnit(maxShift) + " (request "
                        + worst.real().id() + "), the first request taken as time 0."),
                "Simulate the arrivals that were measured: workload.dir=<directory of the " + real().label()
                        + " run>."));
    }

    private static double apart(Pair pair, double shift) {
        return Math.abs(pair.real().arrival() - pair.sim().arrival() - shift);
    }

    /** The definitions of the metrics differ. */
    private Optional<Finding> definitions() {
        List<String> evidence = new ArrayList<>();
        addDefinition(real(), gaps().real(), evidence);
        addDefinition(sim(), gaps().sim(), evidence);
        return Finding.of(
                "definitions",
                Kind.POSSIBLE,
                "The definitions of the two sides differ",
                evidence,
                "Compare TPOT (A) instead of token gaps (B) if chunks contain several tokens; subtract the network time"
                        + " from TTFT.");
    }

    private static void addDefinition(ComparedRun side, Optional<TokenGaps> gaps, List<String> evidence) {
        if (gaps.isPresent() && !gaps.get().wholeTokens()) {
            evidence.add("The " + side.label()
                    + " side streams chunks that may contain several tokens: its gaps are between chunks.");
        }
        Optional.ofNullable(side.facts().definitions().get(Metric.TTFT))
                .filter(text -> text.toLowerCase(Locale.ROOT).contains("network"))
                .ifPresent(text -> evidence.add("The " + side.label() + " side's TTFT: " + text + "."));
    }

    /** The first request takes longer than the other requests. */
    private Optional<Finding> coldStart() {
        if (pairs().size() < 3) {
            return Optional.empty();
        }
        List<Pair> byArrival = pairs().stream()
                .sorted(Comparator.comparingLong(p -> p.real().arrival()))
                .toList();
        double first = byArrival.get(0).ttftReal();
        double rest = Quantiles.of(
                byArrival.stream().skip(1).mapToDouble(Pair::ttftReal).toArray(), 0.5);
        if (first < COLD_START * rest) {
            return Optional.empty();
        }
        TimeScale scale = TimeScale.fit(rest);
        return Optional.of(new Finding(
                "cold_start",
                Kind.NOTE,
                "The first request looks like warm-up",
                List.of("Its TTFT is " + scale.withUnit(first) + ", the median of the other requests "
                        + scale.withUnit(rest) + ": " + Numbers.times(first / rest) + "."),
                "compare.exclude_warmup=" + (alignment().count("warm_up") + 1) + " leaves it out of both sides."));
    }

    /** Too few requests for tail percentiles. */
    private Optional<Finding> smallSample() {
        return pairs().size() >= SMALL_SAMPLE
                ? Optional.empty()
                : Optional.of(new Finding(
                        "small_sample",
                        Kind.NOTE,
                        "Compared: only " + Count.of(pairs().size(), "request"),
                        List.of(
                                "Tail percentiles depend on one or two values; percentiles with fewer than ten values beyond them are"
                                        + " in italics."),
                        "Read the medians and the per-request table; measure more requests for tails."));
    }

    /** Gaps were dropped. */
    private Optional<Finding> thinned() {
        List<String> evidence = new ArrayList<>();
        addStride(real(), gaps().real(), evidence);
        addStride(sim(), gaps().sim(), evidence);
        return Finding.of(
                "thinned",
                Kind.NOTE,
                "Token gaps are thinned out evenly to fit into memory",
                evidence,
                "Other metrics use every token; extremes of the token gaps may be missed.");
    }

    private static void addStride(ComparedRun side, Optional<TokenGaps> gaps, List<String> evidence) {
        gaps.filter(g -> g.stride() > 1)
                .ifPresent(g -> evidence.add("The " + side.label() + " side: 1 of every " + g.stride() + " of "
                        + Numbers.count(g.total()) + " gaps."));
    }
}
