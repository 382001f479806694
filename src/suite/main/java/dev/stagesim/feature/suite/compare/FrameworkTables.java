package dev.stagesim.feature.suite.compare;

import dev.stagesim.comparison.CompareTables;
import dev.stagesim.feature.suite.measured.Efficiencies;
import dev.stagesim.feature.suite.measured.MeasuredLayer;
import dev.stagesim.feature.suite.measured.MeasuredWorkload;
import dev.stagesim.io.csv.TableWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Writes the tables of a suite comparison. */
final class FrameworkTables {
    private final Path out;
    private final FrameworkComparison c;
    private final MeasuredWorkload workload;

    FrameworkTables(Path out, FrameworkComparison comparison) {
        this.out = out;
        this.c = comparison;
        this.workload = comparison.workload();
    }

    void write() throws IOException {
        Files.createDirectories(out.resolve("tables"));
        step();
        layers();
        classes();
        if (!c.checked().isEmpty()) {
            heldOut();
        }
    }

    private void step() throws IOException {
        try (TableWriter rows = TableWriter.in(out, CompareTables.STEP)) {
            for (FrameworkPrediction prediction : c.predictions()) {
                boolean isMeasured = prediction.key().equals("sim") && c.other().isPresent();
                if (!isMeasured) {
                    row(rows, "step", prediction.key(), workload.times().step(), prediction.sum(), Optional.empty());
                }
                if (workload.isByLayer() && prediction.sum() > 0) {
                    Optional<Double> fold =
                            prediction.fold(workload, c.settings().fit().minLayerNs());
                    row(rows, "layers", prediction.key(), prediction.measured(workload), prediction.sum(), fold);
                }
            }
            if (c.other().isPresent()) {
                MeasuredWorkload.Times real = workload.times();
                MeasuredWorkload.Times sim = c.other().get().times();
                row(rows, "step", "sim", real.step(), sim.step(), Optional.empty());
                row(rows, "input_wait", "sim", real.input(), sim.input(), Optional.empty());
                row(rows, "forward_pass", "sim", real.infer(), sim.infer(), Optional.empty());
            }
        }
    }

    private static void row(
            TableWriter rows, String quantity, String prediction, double real, double sim, Optional<Double> fold)
            throws IOException {
        rows.put(quantity).put(prediction).put(real).put(sim);
        rows.putFinite(FrameworkComparison.percent(sim, real))
                .putFinite(fold.orElse(Double.NaN))
                .endRow();
    }

    private void layers() throws IOException {
        TableWriter.write(out, CompareTables.STEP_LAYERS, workload.layers(), (rows, layer) -> {
            rows.put(layer.name()).put(layer.direction()).put(layer.type());
            rows.putFinite(workload.isByLayer() ? layer.measured() : Double.NaN);
            rows.putFinite(layer.roofline());
            rows.putIf(layer.systolic() > 0, layer.systolic());
            rows.putFinite(c.efficiencies().map(fitted -> fitted.predict(layer)).orElse(Double.NaN));
            rows.putFinite(c.sim().flatMap(side -> side.times().of(layer)).orElse(Double.NaN));
        });
    }

    /** Sums a workload's layers by operator class: measured time and rooflines. */
    static Map<String, double[]> byClass(MeasuredWorkload workload) {
        Map<String, double[]> sums = new TreeMap<>();
        for (MeasuredLayer layer : workload.layers()) {
            double[] sum = sums.computeIfAbsent(layer.type(), key -> new double[2]);
            sum[0] += layer.measured();
            sum[1] += layer.roofline();
        }
        return sums;
    }

    private void classes() throws IOException {
        Map<String, Efficiencies.Fitted> others =
                c.efficiencies().map(Efficiencies::classes).orElse(Map.of());
        TableWriter.write(out, CompareTables.STEP_CLASSES, byClass(workload).entrySet(), (rows, type) -> {
            double measured = type.getValue()[0];
            double roofline = type.getValue()[1];
            rows.put(type.getKey());
            rows.putFinite(workload.isByLayer() ? measured : Double.NaN);
            rows.putFinite(roofline);
            rows.putFinite(workload.isByLayer() && measured > 0 ? roofline / measured : Double.NaN);
            rows.put(Optional.ofNullable(others.get(type.getKey())).map(Efficiencies.Fitted::efficiency));
        });
    }

    private void heldOut() throws IOException {
        TableWriter.write(out, CompareTables.HELD_OUT, c.checked(), (rows, error) -> {
            rows.put(error.workload().family()).put(error.workload().label());
            for (Optional<Double> fold : List.of(error.rooflineFold(), error.systolicFold(), error.heldOutFold())) {
                rows.putFinite(fold.orElse(Double.NaN));
            }
        });
    }
}
