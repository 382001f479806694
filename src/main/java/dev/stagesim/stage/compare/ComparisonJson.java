package dev.stagesim.stage.compare;

import dev.stagesim.contract.JsonArtifacts;
import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.stats.Bootstrap;
import dev.stagesim.stats.Interval;
import dev.stagesim.stats.Quantiles;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Renders a comparison as {@code comparison.json}; a figure without a value is null. */
final class ComparisonJson {
    private ComparisonJson() {}

    static JsonValue of(Comparison c) {
        JsonObjectBuilder out = JsonValue.object()
                .put("schema_version", JsonArtifacts.COMPARISON.version())
                .put("quantile_method", Quantiles.METHOD)
                .put("interval_level", 0.95)
                .put("bootstrap_seed", c.settings().bootstrap().seed())
                .put("real", side(c.real()))
                .put("sim", side(c.sim()))
                .put("alignment", alignment(c))
                .put("verdict", verdict(c.verdict()))
                .put("metrics", list(c.metrics(), ComparisonJson::metric))
                .put("published", list(c.published(), ComparisonJson::published))
                .put("throughput", list(c.throughput(), ComparisonJson::rate))
                .put("diagnosis", list(c.findings(), ComparisonJson::finding));
        c.noise()
                .ifPresent(noise -> out.put(
                        "noise",
                        JsonValue.object()
                                .put("second", side(noise.second()))
                                .put("statistics", list(noise.rows(), ComparisonJson::noise))
                                .build()));
        c.clockNoise()
                .ifPresent(noise -> out.put("clock_noise", list(noise.rows(), row -> JsonValue.object()
                        .put("metric", row.metric().key())
                        .put("real_ns", number(row.real()))
                        .put("sim_ns", number(row.sim()))
                        .put("noise_ns", number(row.noise()))
                        .put("within", row.within())
                        .build())));
        return out.build();
    }

    private static JsonValue noise(NoiseFloor.Row row) {
        return JsonValue.object()
                .put("metric", row.metric().key())
                .put("statistic", row.statistic().name())
                .put("real_ns", number(row.real()))
                .put("sim_ns", number(row.sim()))
                .put("again_ns", number(row.again()))
                .put("difference_percent", number(row.errorPercent()))
                .put("noise_percent", number(row.noisePercent()))
                .build();
    }

    private static <T> JsonValue list(List<T> items, java.util.function.Function<T, JsonValue> render) {
        return JsonValue.of(items.stream().map(render).toList());
    }

    private static JsonValue number(double value) {
        return Double.isFinite(value) ? JsonValue.of(value) : JsonValue.NULL;
    }

    private static JsonValue side(Side side) {
        return JsonValue.object()
                .put("label", side.label())
                .put("run_id", side.runId())
                .put("run_type", side.runType())
                .put("sha256", side.sha256())
                .putOrNull("model", side.model())
                .putOrNull("hardware", side.hardware())
                .put("requests", side.rows().size())
                .put("token_times", side.hasTokens())
                .build();
    }

    private static JsonValue alignment(Comparison c) {
        Alignment a = c.alignment();
        return JsonValue.object()
                .put("compared", a.count("compared"))
                .put("warm_up_excluded", a.count("warm_up"))
                .put("cancelled", a.count("cancelled"))
                .put("failed_real", a.count("failed_real"))
                .put("failed_sim", a.count("failed_sim"))
                .put("requests_cut", a.cutRequests())
                .put("sim_tokens_cut", a.cutTokens())
                .build();
    }

    private static JsonValue verdict(Verdict verdict) {
        return JsonValue.object()
                .put("holds", verdict.holds())
                .put("limits", verdict.userLimits() ? "user" : "usual")
                .put("checks", list(verdict.checks(), check -> JsonValue.object()
                        .put("name", check.name())
                        .put("limit_percent", check.limit())
                        .put("difference_percent", number(check.percent()))
                        .put("holds", check.holds())
                        .build()))
                .build();
    }

    private static JsonValue metric(MetricResult m) {
        JsonObjectBuilder out = JsonValue.object()
                .put("metric", m.metric().key())
                .put("definition", m.metric().definition())
                .put("n_real", m.real().length)
                .put("n_sim", m.sim().length)
                .put("statistics", list(m.rows(), ComparisonJson::row))
                .put("kolmogorov_smirnov", m.ks())
                .put("wasserstein1_ns", m.wasserstein1())
                .put("wasserstein1_percent", number(m.wassersteinPercent()))
                .put("bootstrap_resamples", m.resamples());
        m.paired().ifPresent(p -> out.put("paired", paired(p)));
        return out.build();
    }

    private static JsonValue row(MetricResult.Row row) {
        JsonObjectBuilder out = JsonValue.object()
                .put("statistic", row.statistic().name())
                .put("real_ns", number(row.real()))
                .put("sim_ns", number(row.sim()))
                .put("difference_ns", number(row.difference()))
                .put("difference_percent", number(row.percent()))
                .put("reliable", row.reliable());
        out.put("real_interval_ns", interval(row.intervals().map(Bootstrap.Intervals::a)));
        out.put("sim_interval_ns", interval(row.intervals().map(Bootstrap.Intervals::b)));
        out.put("difference_interval_percent", interval(row.intervals().map(Bootstrap.Intervals::percent)));
        return out.build();
    }

    private static JsonValue interval(Optional<Interval> interval) {
        return interval.<JsonValue>map(i -> JsonValue.of(new ArrayList<>(List.of(number(i.low()), number(i.high())))))
                .orElse(JsonValue.NULL);
    }

    private static JsonValue paired(MetricResult.Paired p) {
        return JsonValue.object()
                .put("n", p.errors().n())
                .put("mape_percent", number(p.errors().mape()))
                .put("median_ape_percent", number(p.errors().medianApe()))
                .put("smape_percent", number(p.errors().smape()))
                .put("bias_percent", number(p.errors().mpe()))
                .put("mae_ns", p.errors().mae())
                .put("rmse_ns", p.errors().rmse())
                .put("pearson", number(p.pearson().orElse(Double.NaN)))
                .put("spearman", number(p.spearman().orElse(Double.NaN)))
                .put("kendall", number(p.kendall().orElse(Double.NaN)))
                .put("bland_altman_bias_ns", p.agreement().bias())
                .put("bland_altman_low_ns", p.agreement().low())
                .put("bland_altman_high_ns", p.agreement().high())
                .build();
    }

    private static JsonValue published(PublishedRow row) {
        return JsonValue.object()
                .put("metric", row.metric().key())
                .put("definition", row.metric().definition())
                .put("statistic", row.statistic().name())
                .put("real_ns", row.real())
                .put("sim_ns", row.sim())
                .put("difference_percent", number(row.percent()))
                .put("n_real", row.nReal().<JsonValue>map(JsonValue::of).orElse(JsonValue.NULL))
                .put("n_sim", row.nSim())
                .build();
    }

    private static JsonValue rate(Throughput rate) {
        return JsonValue.object()
                .put("quantity", rate.quantity())
                .put("unit", rate.unit())
                .put("real", number(rate.real()))
                .put("sim", number(rate.sim()))
                .put("difference_percent", number(rate.percent()))
                .build();
    }

    private static JsonValue finding(Finding finding) {
        return JsonValue.object()
                .put("id", finding.id())
                .put("kind", finding.kind().text())
                .put("title", finding.title())
                .put("evidence", JsonValue.strings(finding.evidence()))
                .put("advice", finding.advice())
                .build();
    }
}
