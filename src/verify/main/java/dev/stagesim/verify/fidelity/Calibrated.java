package dev.stagesim.verify.fidelity;

import dev.stagesim.stats.RelativeFit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Predictions with a fitted correction: a factor, a host time per step and a host time per sequence in the step. The terms
 * are fitted to every second point of a group and correct the remaining points.
 */
final class Calibrated {
    /** Terms to fit. Each level includes the previous ones. */
    static final List<String> TERMS = List.of("none", "factor", "factor, step", "factor, step, request");

    private static final int MIN_ROWS = 8;

    /** Points that share their terms. */
    enum Group {
        TRIPLE("a model, device and engine's points"),
        DEPLOYMENT("a deployment's points");

        private final String words;

        Group(String words) {
            this.words = words;
        }

        String words() {
            return words;
        }

        /** A deployment has one version of the engine, one precision and one split over devices, as what {@code calibrate} is given. */
        private String key(Row row) {
            String key = String.join(
                    "|",
                    row.origin().source(),
                    row.setup().engine(),
                    row.setup().gpu(),
                    row.setup().model(),
                    row.metric());
            return this == TRIPLE
                    ? key
                    : String.join(
                            "|",
                            key,
                            row.setup().version(),
                            row.setup().dtype(),
                            row.groups().tensor() + "/" + row.groups().stages() + "/"
                                    + row.groups().copies() + "/" + row.groups().expertParts());
        }
    }

    /** As calibration has it: an efficiency within a factor of two, and times that are 0 or more. */
    private static final RelativeFit.Bounds BOUNDS =
            new RelativeFit.Bounds(new double[] {1, 0, 0}, new double[] {0.5, 0, 0}, new double[] {
                2, Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY
            });

    private Calibrated() {}

    /** Returns the points of groups with enough points, with {@code terms} terms fitted to the other half of the group. */
    static List<RowPrediction> of(List<RowPrediction> rows, int terms, Group group) {
        Map<String, List<RowPrediction>> groups = new TreeMap<>();
        for (RowPrediction each : rows) {
            Row row = each.row();
            if (row.load().amount() > 0
                    && (row.metric().startsWith("tpot") || row.metric().equals("e2e_batch"))) {
                groups.computeIfAbsent(group.key(row), none -> new ArrayList<>())
                        .add(each);
            }
        }
        List<RowPrediction> corrected = new ArrayList<>();
        for (List<RowPrediction> points : groups.values()) {
            points.sort(Comparator.comparingDouble(
                            (RowPrediction each) -> each.row().load().amount())
                    .thenComparing(each -> each.row().origin().line()));
            for (int half = 0; half < 2 && points.size() >= MIN_ROWS; half++) {
                double[] fitted = fit(part(points, half), terms);
                part(points, 1 - half)
                        .forEach(each -> corrected.add(new RowPrediction(each.row(), sum(fitted, work(each)))));
            }
        }
        return corrected;
    }

    private static List<RowPrediction> part(List<RowPrediction> group, int half) {
        List<RowPrediction> part = new ArrayList<>();
        for (int i = half; i < group.size(); i += 2) {
            part.add(group.get(i));
        }
        return part;
    }

    private static double[] fit(List<RowPrediction> rows, int terms) {
        double[][] x = rows.stream().map(Calibrated::work).toArray(double[][]::new);
        double[] y = rows.stream().mapToDouble(each -> each.row().value()).toArray();
        List<Integer> columns = new ArrayList<>();
        for (int i = 0; i < terms; i++) {
            columns.add(i);
        }
        return new RelativeFit(x, y, new int[y.length], BOUNDS).solve(columns);
    }

    /** What one unit of each term takes of the time. */
    private static double[] work(RowPrediction each) {
        Row row = each.row();
        double steps = row.metric().startsWith("tpot") ? 1 : row.load().output();
        return new double[] {each.predicted(), steps, steps * row.load().amount()};
    }

    private static double sum(double[] coefficients, double[] work) {
        double sum = 0;
        for (int i = 0; i < work.length; i++) {
            sum += coefficients[i] * work[i];
        }
        return sum;
    }
}
