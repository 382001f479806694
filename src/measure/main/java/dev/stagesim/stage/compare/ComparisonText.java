package dev.stagesim.stage.compare;

import dev.stagesim.comparison.ComparedRun;
import dev.stagesim.comparison.Metric;
import dev.stagesim.measure.CompareSettings;
import dev.stagesim.measure.CompareSettings.Tolerance.Direction;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.TimeScale;
import dev.stagesim.stage.compare.Verdict.Check;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Sentences of the report page and of the terminal summary. */
record ComparisonText(Comparison c) {
    static final String NO_FINDING = "No finding: no rule of the diagnosis applies to these runs.";
    static final String CLOCK_NOISE =
            "The real side was measured live. The noise below is the sum of send delay, wake-up delay and round trips without"
                    + " computation. Smaller errors are not significant.";
    private static final double FACTOR_FROM = 1.5;

    String title() {
        String what =
                c.real().model().or(() -> c.sim().model()).map(m -> ": " + m).orElse("");
        String where = c.real()
                .hardware()
                .or(() -> c.sim().hardware())
                .map(h -> " on " + h)
                .orElse("");
        boolean isMeasured = c.real().label().equals("real");
        return (isMeasured ? "Simulated against measured" : "Two runs compared") + what + where;
    }

    /** Returns the verdict in a few words. */
    String verdict() {
        boolean user = c.verdict().userLimits();
        if (c.verdict().holds()) {
            return user ? "Within your tolerances" : "Close: within the default limits";
        }
        return user ? "Outside your tolerances" : "Not close: outside the default limits";
    }

    /** Returns the verdict in one sentence with the main values. */
    String sentence() {
        List<String> parts = new ArrayList<>();
        for (Metric metric : List.of(Metric.TPOT, Metric.TTFT, Metric.E2E)) {
            c.median(metric).ifPresent(row -> parts.add(gap(metric, row.real(), row.sim())));
            c.publishedMedian(metric).ifPresent(row -> parts.add(gap(metric, row.real(), row.sim())));
        }
        if (parts.isEmpty()) {
            return "No median of either side can be compared.";
        }
        return capital(c.sim().label()) + " medians against " + c.real().label() + ": " + String.join("; ", parts)
                + ".";
    }

    private static String gap(Metric metric, double real, double sim) {
        TimeScale scale = TimeScale.fit(real);
        String figures = " (" + scale.text(sim) + " against " + scale.withUnit(real) + ")";
        double factor = sim < real ? real / sim : sim / real;
        String direction = sim < real ? " too short" : " too long";
        String size =
                factor >= FACTOR_FROM ? Numbers.times(factor) : Numbers.share(Math.abs(100 * (sim - real) / real), 1);
        return metric.shortName() + " " + size + direction + figures;
    }

    Optional<Finding> cause() {
        return c.findings().stream()
                .filter(f -> f.kind() == Finding.Kind.LIKELY)
                .findFirst();
    }

    String noise(NoiseFloor noise) {
        return "The requests were measured a second time (" + noise.second().runId()
                + "). Errors below"
                + " the difference between the two measurements are not significant for the "
                + c.sim().label() + " side.";
    }

    /** Returns the origin of the limits. */
    String limits() {
        return c.verdict().userLimits()
                ? "Limits are set with compare.tolerance.*."
                : "No compare.tolerance.* is set: the default limits apply, and the exit code is 0 in both cases.";
    }

    static String check(Check check) {
        String limit = check.direction() == Direction.EITHER
                ? "limit ±" + Numbers.plain(check.limit()) + Numbers.SPACE + "%"
                : "limit " + Numbers.plain(check.limit()) + Numbers.SPACE + "% worse";
        return title(check.name()) + " " + Numbers.percent(check.percent()) + ", " + limit + ": "
                + (check.holds() ? "met" : "exceeded");
    }

    /** Returns the verdict in ASCII for a terminal. */
    static String plainCheck(Check check) {
        return String.format(
                Locale.ROOT,
                "%s is off by %.1f %%, the limit is %s %% %s",
                title(check.name()),
                check.percent(),
                Numbers.plain(check.limit()),
                check.direction() == Direction.EITHER ? "in either direction" : "worse");
    }

    /** Returns the display name of a limit, for example {@code TTFT P50} for {@code ttft_p50}. */
    static String title(String name) {
        if (name.equals("throughput")) {
            return "Throughput";
        }
        int cut = name.lastIndexOf('_');
        Metric metric = Metric.valueOf(name.substring(0, cut).toUpperCase(Locale.ROOT));
        return metric.shortName() + " " + name.substring(cut + 1).toUpperCase(Locale.ROOT);
    }

    static String capital(String text) {
        return text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1);
    }

    /** States the metrics that could not be compared by token, and their replacement. */
    Optional<String> tokenNote() {
        if (c.metric(Metric.TOKEN_GAP).isPresent()) {
            return Optional.of(summarised())
                    .filter(labels -> !labels.isEmpty())
                    .map(labels ->
                            "The " + labels + " has a histogram of the gaps between tokens (token_times.csv): gaps are"
                                    + " compared as distributions, with a resolution of 0.05 %, and not by request.");
        }
        if (c.aggregatesOnly()) {
            return Optional.of(
                    "The " + c.real().label() + " side has aggregates only: published values are compared with"
                            + " the values of all " + c.sim().label() + " requests, not by request.");
        }
        if (c.real().hasGaps() && c.sim().hasGaps()) {
            return summarised().isEmpty()
                    ? Optional.empty()
                    : Optional.of("The " + summarised() + " has a histogram of the gaps of all its"
                            + " requests (token_times.csv), but only some requests are compared. Gaps are therefore not compared;"
                            + " the mean gap of each request (TPOT) is. A run with output.detail=full reports gaps"
                            + " by request.");
        }
        String without = !c.real().hasGaps() ? c.real().label() : c.sim().label();
        String text = "The " + without + " side has no token times, so gaps between tokens are not compared;"
                + " the mean gap of each request (TPOT) is.";
        return Optional.of(
                c.published().isEmpty()
                        ? text
                        : text + " Published token-gap percentiles are compared with simulated ones.");
    }

    /** Returns the runs whose token times are available only as a histogram. */
    private String summarised() {
        return Stream.of(c.real(), c.sim())
                .filter(side -> side.hasGaps() && !side.hasTokens())
                .map(side -> side.label() + " side")
                .collect(Collectors.joining(" and the "));
    }

    /** Returns the command that compares the two runs again. */
    String command() {
        CompareSettings settings = c.settings();
        List<String> words =
                new ArrayList<>(List.of("./stage compare", dir("real.dir", c.real()), dir("sim.dir", c.sim())));
        c.noise().ifPresent(noise -> words.add(dir("compare.noise.dir", noise.second())));
        if (settings.excludeWarmup() > 0) {
            words.add("compare.exclude_warmup=" + settings.excludeWarmup());
        }
        if (settings.excludeFailed()) {
            words.add("compare.exclude_failed=true");
        }
        if (settings.anyHardware()) {
            words.add("compare.any_hardware=true");
        }
        settings.tolerance()
                .limits()
                .forEach((name, limit) -> words.add("compare.tolerance." + name + "_percent=" + limit));
        if (settings.tolerance().direction() != Direction.EITHER) {
            words.add("compare.tolerance.direction=worse");
        }
        words.add("compare.bootstrap.resamples=" + settings.bootstrap().resamples());
        words.add("compare.bootstrap.seed=" + settings.bootstrap().seed());
        return String.join(" ", words);
    }

    private static String dir(String key, ComparedRun run) {
        return key + "=tmp/" + run.runType() + "/" + run.runId();
    }
}
