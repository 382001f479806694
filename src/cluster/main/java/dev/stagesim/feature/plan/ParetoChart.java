package dev.stagesim.feature.plan;

import dev.stagesim.feature.plan.SimulationCache.DeploymentResult;
import dev.stagesim.feature.plan.SimulationCache.SimulatedSize;
import dev.stagesim.report.Axis;
import dev.stagesim.report.Chart;
import dev.stagesim.report.Layer;
import dev.stagesim.report.Layer.Style;
import dev.stagesim.report.Numbers;
import dev.stagesim.serving.EngineChoice;
import dev.stagesim.stats.ParetoFront;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToDoubleFunction;

/** Draws output tokens per second of a device over output tokens per second of a user, with the Pareto front. */
final class ParetoChart {
    private static final int DIGITS = 3;

    private static final Comparator<ParetoPoint> ORDER = Comparator.comparingDouble(ParetoPoint::user)
            .reversed()
            .thenComparing(Comparator.comparingDouble(ParetoPoint::device).reversed())
            .thenComparing(ParetoPoint::title);

    /** Of several equal points, the first one is on the front. */
    private static final ParetoFront<ParetoPoint> FRONT = new ParetoFront<>(
            List.of(
                    Comparator.comparingDouble(ParetoPoint::user).reversed(),
                    Comparator.comparingDouble(ParetoPoint::device).reversed()),
            (first, second) -> true);

    private ParetoChart() {}

    /**
     * One deployment at one load.
     *
     * @param user median output tokens per second of a user
     * @param device output tokens per second of a device
     * @param isAnswer whether the point is a feasible deployment of the plan, not another load or number of copies
     */
    record ParetoPoint(double user, double device, boolean isAnswer, String title) {}

    /** Returns the chart; empty if no simulated deployment meets the SLO. */
    static Optional<Chart> of(ServingPlan plan) {
        List<ParetoPoint> points = points(plan);
        if (points.isEmpty()) {
            return Optional.empty();
        }
        Chart chart = new Chart(
                "pareto",
                "Throughput per device over throughput per user",
                "Simulated deployments that meet the SLO: output tokens per second of a device over output tokens per"
                        + " second of a user, with the Pareto front.",
                Axis.fromZero("output tokens/s per user (P50)", values(points, ParetoPoint::user)),
                Axis.fromZero("output tokens/s per device", values(points, ParetoPoint::device)));
        List<ParetoPoint> front = front(points);
        chart = chart.with(
                "Pareto front",
                new Layer.Line(
                        Style.FIRST, values(front, ParetoPoint::user), values(front, ParetoPoint::device), false));
        chart = marks(
                chart,
                Style.THIRD,
                "Other loads",
                points.stream().filter(point -> !point.isAnswer()).toList());
        return Optional.of(marks(
                chart,
                Style.SECOND,
                "Feasible deployments",
                points.stream().filter(ParetoPoint::isAnswer).toList()));
    }

    /** Returns the points that no other point exceeds on both axes, in their order. */
    static List<ParetoPoint> front(List<ParetoPoint> points) {
        List<ParetoPoint> front = new ArrayList<>();
        points.forEach(point -> FRONT.add(front, point));
        return front;
    }

    private static List<ParetoPoint> points(ServingPlan plan) {
        List<ParetoPoint> points = new ArrayList<>();
        Set<DeploymentResult> answers = Collections.newSetFromMap(new IdentityHashMap<>());
        plan.finalists().forEach(c -> answers.add(c.confirmed().orElseThrow().result()));
        for (SimulatedSize size : plan.simulations().satisfied()) {
            EngineChoice deployment = size.deployment();
            String words = PlanAnswer.copies(
                            size.replicas(), deployment.shape().kind().words())
                    + " with " + deployment.shape().words() + ", max_num_seqs " + deployment.maxNumSeqs() + ", tokens "
                    + deployment.maxNumBatchedTokens();
            points.add(point(plan, size.result(), size.devices(), words, answers.contains(size.result())));
        }
        plan.poolConfigurations().stream()
                .filter(PoolConfiguration::meetsSlo)
                .forEach(pools -> points.add(point(plan, pools.result(), pools.devices(), pools.words(), true)));
        points.removeIf(point -> !Double.isFinite(point.user()) || !(point.user() > 0));
        points.sort(ORDER);
        return points;
    }

    private static ParetoPoint point(
            ServingPlan plan, DeploymentResult result, int devices, String words, boolean isAnswer) {
        double user = result.tokensPerUser();
        double device = plan.tokensPerDevice(plan.rate(result), devices);
        String title = words + " at " + Numbers.significant(result.load(), DIGITS) + " "
                + plan.settings().unit() + ": "
                + Numbers.significant(user, DIGITS) + " tokens/s per user, " + Numbers.significant(device, DIGITS)
                + " tokens/s per device";
        return new ParetoPoint(user, device, isAnswer, title);
    }

    private static double[] values(List<ParetoPoint> points, ToDoubleFunction<ParetoPoint> value) {
        return points.stream().mapToDouble(value).toArray();
    }

    private static Chart marks(Chart chart, Style style, String series, List<ParetoPoint> points) {
        return points.isEmpty()
                ? chart
                : chart.with(
                        series,
                        new Layer.Marks(
                                style,
                                values(points, ParetoPoint::user),
                                values(points, ParetoPoint::device),
                                points.stream().map(ParetoPoint::title).toList()));
    }
}
