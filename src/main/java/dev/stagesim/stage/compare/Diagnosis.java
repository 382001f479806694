package dev.stagesim.stage.compare;

import static dev.stagesim.model.Nanos.NS_PER_US;

import dev.stagesim.model.Count;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.TimeScale;
import dev.stagesim.stage.compare.Alignment.Pair;
import dev.stagesim.stage.compare.Finding.Kind;
import dev.stagesim.stage.compare.Side.Fact;
import dev.stagesim.stats.Moments;
import dev.stagesim.stats.Quantiles;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * Names likely causes of the gap between two sides, each with its evidence.
 *
 * <p>Rules are independent of each other; {@code specs/comparison.md} states their thresholds.
 */
final class Diagnosis {
    private static final double STEADY_CV = 0.05;
    private static final double FAR_ABOVE = 1.5;
    private static final double NOTABLE_PERCENT = 10;
    private static final double QUEUE_PERCENT = 25;
    private static final double COLD_START = 1.25;
    private static final double ARRIVAL_SLACK_NS = 1e6;
    private static final int SMALL_SAMPLE = 20;
    private static final String SIMULATED = "vidur_sim";

    /** Rules in the order in which findings of the same kind are shown; of the first three, one finding explains the pace. */
    private static final List<Function<Diagnosis, Stream<Finding>>> RULES = List.of(
            d -> d.hostBoundAsSimulated().or(d::hostBound).or(d::constantFactor).stream(),
            d -> d.queueing().stream(),
            d -> SettingsDiff.findings(d.real, d.sim).stream(),
            d -> d.arrivals().stream(),
            d -> d.definitions().stream(),
            d -> d.coldStart().stream(),
            d -> d.smallSample().stream(),
            d -> d.thinned().stream());

    private final Side real;
    private final Side sim;
    private final Alignment alignment;
    private final List<Pair> pairs;
    private final List<MetricResult> metrics;
    private final Comparison.Gaps gaps;

    private Diagnosis(Side real, Side sim, Alignment alignment, List<MetricResult> metrics, Comparison.Gaps gaps) {
        this.gaps = gaps;
        this.real = real;
        this.sim = sim;
        this.alignment = alignment;
        this.pairs = alignment.pairs();
        this.metrics = metrics;
    }

    /** The findings, likeliest first. */
    static List<Finding> of(
            Side real, Side sim, Alignment alignment, List<MetricResult> metrics, Comparison.Gaps gaps) {
        Diagnosis d = new Diagnosis(real, sim, alignment, metrics, gaps);
        return RULES.stream()
                .flatMap(rule -> rule.apply(d))
                .sorted(Comparator.comparing(Finding::kind))
                .toList();
    }

    private Optional<MetricResult> metric(Metric metric) {
        return metrics.stream().filter(m -> m.metric() == metric).findFirst();
    }

    private Load load(ToDoubleFunction<Pair> arrival, ToDoubleFunction<Pair> completion) {
        return Load.of(
                pairs.stream().mapToDouble(arrival).toArray(),
                pairs.stream().mapToDouble(completion).toArray());
    }

    private Load realLoad() {
        return load(p -> p.real().arrival(), p -> p.real().completion());
    }

    /** The simulated engine waits for its host longer than its device works, and the tokens come as they do for real. */
    private Optional<Finding> hostBoundAsSimulated() {
        Optional<MetricResult> tpot = metric(Metric.TPOT);
        double host = sim.number(Fact.DECODE_HOST_US).orElse(0.0) * NS_PER_US;
        double step = sim.number(Fact.DECODE_STEP_US).orElse(0.0) * NS_PER_US;
        if (tpot.isEmpty() || host <= step - host) {
            return Optional.empty();
        }
        double measured = tpot.get().row("p50").real();
        double percent = tpot.get().row("p50").percent();
        TimeScale ms = TimeScale.fit(step);
        List<String> evidence = new ArrayList<>();
        evidence.add("Of a decode step of " + ms.withUnit(step) + " the device works " + ms.withUnit(step - host)
                + "; for the other " + ms.withUnit(host) + ", " + Numbers.share(100 * host / step, 0)
                + ", it waits for the host, which launches operators and prepares the step (step_parts.csv of the "
                + sim.label() + " run).");
        evidence.add("Nothing of it was fitted to the " + real.label() + " run, whose token takes "
                + ms.withUnit(measured) + " (TPOT P50): the simulation is off by " + Numbers.percent(percent) + ".");
        evidence.add("Without the host a token would take " + ms.withUnit(step - host) + ", "
                + Numbers.times(step / (step - host)) + " less.");
        published(ms).ifPresent(evidence::add);
        return Optional.of(new Finding(
                "host_bound",
                Kind.LIKELY,
                "The run is host-bound: the CPU that launches each step sets the pace, not the GPU",
                evidence,
                "Look at the host first: captured graphs (engine=vllm_v1), fewer operators, a faster CPU"
                        + " (hardware.host_class), or larger batches, which cost the host little more."));
    }

    /** One request at a time, steps of constant length, far longer than the device needs: the host sets the pace. */
    private Optional<Finding> hostBound() {
        Optional<MetricResult> tpot = metric(Metric.TPOT);
        if (tpot.isEmpty() || tpot.get().real().length < 3 || realLoad().most() != 1) {
            return Optional.empty();
        }
        Moments spread = Moments.of(tpot.get().real());
        double measured = tpot.get().row("p50").real();
        double simulated = tpot.get().row("p50").sim();
        if (spread.cv() > STEADY_CV || measured < FAR_ABOVE * simulated) {
            return Optional.empty();
        }
        TimeScale ms = TimeScale.fit(measured);
        List<String> evidence = new ArrayList<>();
        evidence.add("One request is in flight at a time (batch size 1), so neither queueing nor batching explains the"
                + " gap.");
        evidence.add("A token takes " + ms.withUnit(measured) + " (TPOT P50), simulated " + ms.withUnit(simulated)
                + ": " + Numbers.times(measured / simulated) + " as long; " + ms.withUnit(measured - simulated)
                + " of each step is time for which the simulation finds no work on the device.");
        evidence.add("TPOT is nearly constant over " + spread.n() + " requests: " + ms.withUnit(spread.min()) + " to "
                + ms.withUnit(spread.max()) + ", coefficient of variation "
                + Numbers.share(100 * spread.cv(), 1) + ".");
        real.number(Fact.WEIGHT_READ_FLOOR_NS)
                .filter(floor -> floor > 0)
                .ifPresent(floor -> evidence.add("Reading the active weights once from device memory at its peak rate"
                        + " takes " + ms.withUnit(floor) + "; a measured step takes "
                        + Numbers.times(measured / floor) + " that."));
        metric(Metric.TTFT)
                .map(m -> m.row("p50"))
                .ifPresent(ttft -> evidence.add(
                        "The first token is late by a similar amount: " + ms.signed(ttft.real() - ttft.sim()) + " "
                                + ms.unit() + " (TTFT P50 " + ms.withUnit(ttft.real()) + ", simulated "
                                + ms.withUnit(ttft.sim()) + "): a cost per step, not per token of work."));
        published(ms).ifPresent(evidence::add);
        return Optional.of(new Finding(
                "host_bound",
                Kind.LIKELY,
                "The " + real.label()
                        + " run is host-bound: the CPU that launches each step sets the pace, not the GPU",
                evidence,
                hostAdvice(measured - simulated)));
    }

    /** The host's time is added on each pipeline stage of a step. */
    private String hostAdvice(double lackingNs) {
        String again = "measure again with CUDA graphs so that the device sets the pace.";
        if (!sim.runType().equals(SIMULATED)) {
            return "Give the candidate the host's time per step, or " + again;
        }
        double stages = sim.number(Fact.PIPELINE_STAGES).orElse(1.0);
        long microseconds = Math.round(lackingNs / stages / NS_PER_US);
        String time = "profile.host.kind=linear profile.host.schedule.base_us=" + microseconds;
        return "Give the simulation the host's time per step, the part that it lacks: " + command() + " " + time
                + " (with the other options of this run, and on top of host times that it has already; an imported"
                + " bundle needs host times of its own), or "
                + again;
    }

    private String command() {
        return "./stage compare" + option("model", sim.model()) + option("hardware", sim.hardware());
    }

    /** Cards are options under their names in lower case, anything but letters and digits as underscores. */
    private static String option(String group, Optional<String> card) {
        return card.map(name ->
                        " " + group + "=" + name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "_"))
                .orElse("");
    }

    private Optional<String> published(TimeScale ms) {
        Optional<Double> gap = real.number(Fact.VIDUR_TOKEN_GAP_NS);
        Optional<Double> ttft = real.number(Fact.VIDUR_TTFT_NS);
        return gap.isEmpty() || ttft.isEmpty()
                ? Optional.empty()
                : Optional.of("The recording's authors simulated these requests with Vidur, host time left out as well,"
                        + " and got TTFT P50 " + ms.withUnit(ttft.get()) + " and token gap P50 "
                        + ms.withUnit(gap.get()) + ".");
    }

    /** Every request off by the same factor: the device's speed is off, not the schedule. */
    private Optional<Finding> constantFactor() {
        Optional<MetricResult> tpot = metric(Metric.TPOT);
        if (tpot.isEmpty()
                || tpot.get().real().length < 3
                || Math.abs(tpot.get().row("p50").percent()) < NOTABLE_PERCENT) {
            return Optional.empty();
        }
        double[] ratios = pairs.stream()
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
                List.of("Simulated TPOT is " + Numbers.significant(spread.mean(), 3) + "× the " + real.label()
                        + " one, coefficient of variation over " + spread.n() + " requests "
                        + Numbers.share(100 * spread.cv(), 1) + "."),
                "Check the profiling bundle: efficiency factors, data type and clock of the device."));
    }

    /** Tokens flow at the right pace but first tokens do not come at the right time: waiting differs. */
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
        evidence.add("Most requests in flight: " + realLoad().most() + " " + real.label() + ", " + simLoad.most() + " "
                + sim.label() + ".");
        double[] delays = pairs.stream()
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

    private Optional<Finding> arrivals() {
        double shift = pairs.get(0).real().arrival() - pairs.get(0).sim().arrival();
        Pair worst = pairs.stream()
                .max(Comparator.comparingDouble(p -> apart(p, shift)))
                .orElseThrow();
        double most = apart(worst, shift);
        if (most <= ARRIVAL_SLACK_NS) {
            return Optional.empty();
        }
        TimeScale scale = TimeScale.fit(most);
        return Optional.of(new Finding(
                "arrivals",
                Kind.LIKELY,
                "Requests do not arrive at the same times on both sides",
                List.of("Arrivals differ by up to " + scale.withUnit(most) + " (request "
                        + worst.real().id() + "), the first request taken as time 0."),
                "Simulate the arrivals that were measured: workload.dir=<directory of the " + real.label() + " run>."));
    }

    private static double apart(Pair pair, double shift) {
        return Math.abs(pair.real().arrival() - pair.sim().arrival() - shift);
    }

    private Optional<Finding> definitions() {
        List<String> evidence = new ArrayList<>();
        definitions(real, gaps.real(), evidence);
        definitions(sim, gaps.sim(), evidence);
        if (evidence.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new Finding(
                "definitions",
                Kind.POSSIBLE,
                "The two sides do not measure quite the same thing",
                evidence,
                "Compare TPOT (A) rather than token gaps (B) where chunks hold several tokens; take the network's time"
                        + " off TTFT."));
    }

    private static void definitions(Side side, Optional<TokenGaps> gaps, List<String> evidence) {
        if (gaps.isPresent() && !gaps.get().wholeTokens()) {
            evidence.add("The " + side.label()
                    + " side streams chunks that may hold several tokens: its gaps are between chunks.");
        }
        side.fact(Fact.TTFT_DEFINITION)
                .filter(text -> text.toLowerCase(Locale.ROOT).contains("network"))
                .ifPresent(text -> evidence.add("The " + side.label() + " side's TTFT: " + text + "."));
    }

    private Optional<Finding> coldStart() {
        if (pairs.size() < 3) {
            return Optional.empty();
        }
        List<Pair> byArrival = pairs.stream()
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
                List.of("Its TTFT is " + scale.withUnit(first) + ", the median of the others " + scale.withUnit(rest)
                        + ": " + Numbers.times(first / rest) + "."),
                "compare.exclude_warmup=" + (alignment.count("warm_up") + 1) + " leaves it out of both sides."));
    }

    private Optional<Finding> smallSample() {
        if (pairs.size() >= SMALL_SAMPLE) {
            return Optional.empty();
        }
        return Optional.of(new Finding(
                "small_sample",
                Kind.NOTE,
                "Compared: only " + Count.of(pairs.size(), "request"),
                List.of("Tail percentiles rest on one or two values; those with fewer than ten values beyond them are"
                        + " set in italics."),
                "Read the medians and the per-request table; measure more requests for tails."));
    }

    private Optional<Finding> thinned() {
        List<String> evidence = new ArrayList<>();
        thinned(real, gaps.real(), evidence);
        thinned(sim, gaps.sim(), evidence);
        return evidence.isEmpty()
                ? Optional.empty()
                : Optional.of(new Finding(
                        "thinned",
                        Kind.NOTE,
                        "Token gaps are thinned out evenly to fit into memory",
                        evidence,
                        "Other metrics use every token; extremes of the token gaps may be missed."));
    }

    private static void thinned(Side side, Optional<TokenGaps> gaps, List<String> evidence) {
        gaps.filter(g -> g.stride() > 1)
                .ifPresent(g -> evidence.add("The " + side.label() + " side: 1 of every " + g.stride() + " of "
                        + Numbers.count(g.total()) + " gaps."));
    }
}
