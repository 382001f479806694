package dev.stagesim.stage.compare;

import dev.stagesim.comparison.ComparedRun;
import dev.stagesim.comparison.ComparisonDocument;
import dev.stagesim.stats.Interval;
import dev.stagesim.stats.Quantiles;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/** The JSON document of a comparison. A metric without a value is null. */
final class ComparisonJson {
    private ComparisonJson() {}

    static ComparisonDocument of(Comparison c) {
        return new ComparisonDocument(
                new ComparisonDocument.StatisticsMethod(
                        Quantiles.METHOD, 0.95, c.settings().bootstrap().seed()),
                side(c.real()),
                side(c.sim()),
                alignment(c.alignment()),
                verdict(c.verdict()),
                c.metrics().stream().map(ComparisonJson::metric).toList(),
                c.published().stream().map(ComparisonJson::published).toList(),
                c.throughput().stream().map(ComparisonJson::rate).toList(),
                c.findings().stream().map(ComparisonJson::finding).toList(),
                c.noise().map(ComparisonJson::noise),
                c.clockNoise()
                        .map(noise ->
                                noise.rows().stream().map(ComparisonJson::clock).toList()));
    }

    private static ComparisonDocument.ClockNoise clock(Comparison.ClockNoise.Row row) {
        return new ComparisonDocument.ClockNoise(
                row.metric().key(), number(row.real()), number(row.sim()), number(row.noise()), row.isWithinNoise());
    }

    private static ComparisonDocument.Noise noise(NoiseFloor noise) {
        return new ComparisonDocument.Noise(
                side(noise.second()),
                noise.rows().stream()
                        .map(row -> new ComparisonDocument.Noise.Row(
                                row.metric().key(),
                                row.statistic().name(),
                                number(row.real()),
                                number(row.sim()),
                                number(row.again()),
                                number(row.errorPercent()),
                                number(row.noisePercent())))
                        .toList());
    }

    private static Optional<Double> number(double value) {
        return Double.isFinite(value) ? Optional.of(value) : Optional.empty();
    }

    private static Optional<Double> number(OptionalDouble value) {
        return number(value.orElse(Double.NaN));
    }

    private static ComparisonDocument.Side side(ComparedRun side) {
        return new ComparisonDocument.Side(
                side.label(),
                side.runId(),
                side.runType(),
                side.sha256(),
                side.model(),
                side.hardware(),
                side.rows().size(),
                side.hasTokens());
    }

    private static ComparisonDocument.Alignment alignment(Alignment a) {
        return new ComparisonDocument.Alignment(
                a.count("compared"),
                a.count("warm_up"),
                a.count("cancelled"),
                a.count("failed_real"),
                a.count("failed_sim"),
                a.cutRequests(),
                a.cutTokens());
    }

    private static ComparisonDocument.Verdict verdict(Verdict verdict) {
        return new ComparisonDocument.Verdict(
                verdict.holds(),
                verdict.userLimits() ? "user" : "default",
                verdict.checks().stream()
                        .map(check -> new ComparisonDocument.Verdict.Check(
                                check.name(), check.limit(), number(check.percent()), check.holds()))
                        .toList());
    }

    private static ComparisonDocument.Metric metric(MetricResult m) {
        return new ComparisonDocument.Metric(
                m.metric().key(),
                m.metric().definition(),
                m.real().length,
                m.sim().length,
                m.rows().stream().map(ComparisonJson::row).toList(),
                m.ks(),
                m.wasserstein1(),
                number(m.wassersteinPercent()),
                m.resamples(),
                m.paired().map(ComparisonJson::paired));
    }

    private static ComparisonDocument.Metric.Row row(MetricResult.Row row) {
        return new ComparisonDocument.Metric.Row(
                row.statistic().name(),
                number(row.real()),
                number(row.sim()),
                number(row.difference()),
                number(row.percent()),
                row.reliable(),
                row.intervals().map(its -> ends(its.a())),
                row.intervals().map(its -> ends(its.b())),
                row.intervals().map(its -> ends(its.percent())));
    }

    private static List<Optional<Double>> ends(Interval interval) {
        return List.of(number(interval.low()), number(interval.high()));
    }

    private static ComparisonDocument.Metric.Paired paired(MetricResult.Paired p) {
        return new ComparisonDocument.Metric.Paired(
                p.errors().n(),
                number(p.errors().mape()),
                number(p.errors().medianApe()),
                number(p.errors().smape()),
                number(p.errors().mpe()),
                p.errors().mae(),
                p.errors().rmse(),
                number(p.pearson()),
                number(p.spearman()),
                number(p.kendall()),
                new ComparisonDocument.Metric.Paired.LimitsOfAgreement(
                        p.agreement().bias(), p.agreement().low(), p.agreement().high()));
    }

    private static ComparisonDocument.Published published(PublishedRow row) {
        return new ComparisonDocument.Published(
                row.metric().key(),
                row.metric().definition(),
                row.statistic().name(),
                row.real(),
                row.sim(),
                number(row.percent()),
                row.nReal(),
                row.nSim());
    }

    private static ComparisonDocument.Rate rate(Throughput rate) {
        return new ComparisonDocument.Rate(
                rate.quantity(), rate.unit(), number(rate.real()), number(rate.sim()), number(rate.percent()));
    }

    private static ComparisonDocument.Finding finding(Finding finding) {
        return new ComparisonDocument.Finding(
                finding.id(), finding.kind().text(), finding.title(), finding.evidence(), finding.advice());
    }
}
