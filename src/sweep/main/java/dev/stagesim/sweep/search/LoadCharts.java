package dev.stagesim.sweep.search;

import dev.stagesim.report.Axis;
import dev.stagesim.report.Chart;
import dev.stagesim.report.Charts;
import dev.stagesim.report.Layer.Line;
import dev.stagesim.report.Layer.Reference;
import dev.stagesim.report.Layer.Style;
import dev.stagesim.sweep.SweeperSettings;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;

/** Charts of each bounded metric over the load: the simulations of the two best candidates, and the bound. */
final class LoadCharts {
    private static final int DRAWN = 2;

    private LoadCharts() {}

    static List<Chart> of(
            SweeperSettings.Capacity settings, List<CandidateVerdict> verdicts, List<SimulationPool.Answer> answers) {
        List<Integer> best = verdicts.stream()
                .filter(item -> item.load() > 0)
                .sorted(Comparator.comparingDouble(CandidateVerdict::load).reversed())
                .limit(DRAWN)
                .map(item -> item.candidate().num())
                .toList();
        return Limit.parse(settings.slo(), "sweeper.slo").stream()
                .filter(limit -> best.stream()
                        .anyMatch(num -> !points(answers, num, limit).isEmpty()))
                .map(limit -> chart(settings.key(), limit, best, answers))
                .toList();
    }

    private static List<SimulationPool.Answer> points(List<SimulationPool.Answer> answers, int candidate, Limit limit) {
        return answers.stream()
                .filter(item -> item.candidate() == candidate && item.load() > 0)
                .filter(item -> Double.isFinite(item.figures().getOrDefault(limit.figure(), Double.NaN)))
                .toList();
    }

    private static Chart chart(String key, Limit limit, List<Integer> candidates, List<SimulationPool.Answer> answers) {
        List<SimulationPool.Answer> all = candidates.stream()
                .flatMap(num -> points(answers, num, limit).stream())
                .toList();
        double[] loads = all.stream().mapToDouble(SimulationPool.Answer::load).toArray();
        DoubleStream values = all.stream().mapToDouble(item -> item.figures().get(limit.figure()));
        Axis x = Axis.fromZero(key, loads);
        Axis y = Axis.fit(
                limit.figure(),
                DoubleStream.concat(values, DoubleStream.of(limit.value())).toArray());
        String words = limit.figure() + " of every simulation over " + key + "; the dotted line is " + limit.text();
        Chart chart = new Chart("load-" + limit.figure().replace('_', '-'), limit.text(), words, x, y)
                .with("", new Reference(x.low(), limit.value(), x.high(), limit.value()));
        for (int i = 0; i < candidates.size(); i++) {
            Style style = Style.values()[i];
            List<SimulationPool.Answer> points = points(answers, candidates.get(i), limit);
            chart = chart.with("#" + candidates.get(i) + ", worst seed", worst(style, points, limit))
                    .with(
                            "",
                            Charts.marks(
                                    style,
                                    points,
                                    SimulationPool.Answer::load,
                                    item -> item.figures().get(limit.figure()),
                                    item -> NumberText.number(item.load()) + ", "
                                            + NumberText.number(
                                                    item.figures().getOrDefault(limit.figure(), Double.NaN))));
        }
        return chart;
    }

    private static Line worst(Style style, List<SimulationPool.Answer> points, Limit limit) {
        SortedMap<Double, Double> byLoad = points.stream()
                .collect(Collectors.toMap(
                        SimulationPool.Answer::load,
                        item -> item.figures().getOrDefault(limit.figure(), Double.NaN),
                        limit.upper() ? Math::max : Math::min,
                        TreeMap::new));
        return new Line(
                style,
                byLoad.keySet().stream().mapToDouble(Double::doubleValue).toArray(),
                byLoad.values().stream().mapToDouble(Double::doubleValue).toArray(),
                false);
    }
}
