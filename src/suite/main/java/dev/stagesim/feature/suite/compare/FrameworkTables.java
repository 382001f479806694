package dev.stagesim.feature.suite.compare;

import dev.stagesim.comparison.CompareTables;
import dev.stagesim.contract.TableSchema;
import dev.stagesim.feature.suite.measured.Efficiencies;
import dev.stagesim.feature.suite.measured.MeasuredLayer;
import dev.stagesim.feature.suite.measured.MeasuredWorkload;
import dev.stagesim.feature.suite.measured.PredictionError;
import dev.stagesim.io.csv.TableWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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

    private TableWriter create(TableSchema table) throws IOException {
        return TableWriter.create(out.resolve(table.name()), table);
    }

    private static void put(TableWriter rows, Optional<Double> value) throws IOException {
        if (value.isPresent() && Double.isFinite(value.get())) {
            rows.put((double) value.get());
        } else {
            rows.putEmpty();
        }
    }

    private void step() throws IOException {
        try (TableWriter rows = create(CompareTables.STEP)) {
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
        put(rows, Optional.of(FrameworkComparison.percent(sim, real)));
        put(rows, fold);
        rows.endRow();
    }

    private void layers() throws IOException {
        try (TableWriter rows = create(CompareTables.STEP_LAYERS)) {
            for (MeasuredLayer layer : workload.layers()) {
                rows.put(layer.name()).put(layer.direction()).put(layer.type());
                put(rows, Optional.of(layer.measured()).filter(ns -> workload.isByLayer()));
                put(rows, Optional.of(layer.roofline()));
                put(rows, Optional.of(layer.systolic()).filter(ns -> ns > 0));
                put(rows, c.efficiencies().map(fitted -> fitted.predict(layer)));
                put(rows, c.sim().flatMap(side -> side.times().of(layer)));
                rows.endRow();
            }
        }
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
        try (TableWriter rows = create(CompareTables.STEP_CLASSES)) {
            for (Map.Entry<String, double[]> type : byClass(workload).entrySet()) {
                double measured = type.getValue()[0];
                double roofline = type.getValue()[1];
                boolean isKnown = workload.isByLayer() && measured > 0;
                rows.put(type.getKey());
                put(rows, Optional.of(measured).filter(ns -> workload.isByLayer()));
                put(rows, Optional.of(roofline));
                put(rows, Optional.of(roofline / measured).filter(share -> isKnown));
                put(rows, Optional.ofNullable(others.get(type.getKey())).map(Efficiencies.Fitted::efficiency));
                rows.endRow();
            }
        }
    }

    private void heldOut() throws IOException {
        try (TableWriter rows = create(CompareTables.HELD_OUT)) {
            for (PredictionError error : c.checked()) {
                rows.put(error.workload().family()).put(error.workload().label());
                put(rows, error.rooflineFold());
                put(rows, error.systolicFold());
                put(rows, error.heldOutFold());
                rows.endRow();
            }
        }
    }
}
