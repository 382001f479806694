package dev.stagesim.feature.suite.compare;

import dev.stagesim.contract.SuiteTables;
import dev.stagesim.contract.TableSchema;
import dev.stagesim.feature.suite.measured.MeasuredLayer;
import dev.stagesim.feature.suite.measured.MeasuredOp;
import dev.stagesim.feature.suite.measured.MeasuredWorkload;
import dev.stagesim.feature.suite.measured.SuiteArtifacts;
import dev.stagesim.io.csv.TableReader;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.stats.Quantiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads a measured workload of the profiling suite from its run directory. */
public final class SuiteRun {
    private final Path dir;

    private SuiteRun(Path dir) {
        this.dir = dir;
    }

    static boolean isIn(Path dir) {
        return Files.exists(dir.resolve(SuiteArtifacts.FRAMEWORK.name()));
    }

    public static MeasuredWorkload read(Path dir) throws IOException {
        if (!isIn(dir)) {
            throw StageException.input(Problem.artifact(
                            dir.toString(),
                            "is not a measured suite workload: it has no " + SuiteArtifacts.FRAMEWORK.name())
                    .hint("create one with ./stage real_bench bench=tf workload=tf/mlp_a"));
        }
        return new SuiteRun(dir).read();
    }

    private MeasuredWorkload read() throws IOException {
        LocatedJson about = Json.read(dir.resolve(SuiteArtifacts.FRAMEWORK.name()));
        LocatedJson actual = about.get("actual");
        Map<Long, List<Double>> train = new LinkedHashMap<>();
        List<Double> infer = new ArrayList<>();
        steps(train, infer);
        return new MeasuredWorkload(
                about.get("label").asString(),
                about.get("family").asString(),
                new MeasuredWorkload.Execution(
                        actual.get("device").asString(),
                        actual.get("precision").asString(),
                        actual.get("xla").asBool(),
                        actual.get("inter_threads").asLong() + " x "
                                + actual.get("intra_threads").asLong(),
                        actual.get("batch").asLong(),
                        "TensorFlow " + about.get("tensorflow").asString()),
                about.get("substitutions").asStrings(),
                about.get("loss_sha256").asStrings(),
                train.values().stream().mapToDouble(SuiteRun::median).toArray(),
                new MeasuredWorkload.Times(
                        median(train.values().stream().flatMap(List::stream).toList()),
                        median(inputs()),
                        median(infer),
                        about.get("accounting").get("accounted_over_step").asDouble()),
                layers(),
                ops());
    }

    private static double median(Collection<Double> values) {
        return values.isEmpty()
                ? 0
                : Quantiles.of(values.stream().mapToDouble(Double::doubleValue).toArray(), 0.5);
    }

    private void forEach(TableSchema table, TableReader.RowReader reader) throws IOException {
        TableReader.forEach(dir.resolve(table.name()), table, reader);
    }

    private void steps(Map<Long, List<Double>> train, List<Double> infer) throws IOException {
        forEach(SuiteTables.STEPS, row -> {
            double wall = row.longAt("wall_ns");
            String phase = row.stringAt("phase");
            if (phase.equals("train")) {
                train.computeIfAbsent(row.longAt("process"), key -> new ArrayList<>())
                        .add(wall);
            } else if (phase.equals("infer")) {
                infer.add(wall);
            }
        });
    }

    private List<Double> inputs() throws IOException {
        List<Double> values = new ArrayList<>();
        forEach(SuiteTables.INPUTS, row -> values.add((double) row.longAt("input_ns")));
        return values;
    }

    private List<MeasuredLayer> layers() throws IOException {
        List<MeasuredLayer> layers = new ArrayList<>();
        forEach(
                SuiteTables.LAYERS,
                row -> layers.add(new MeasuredLayer(
                        row.stringAt("layer"),
                        row.stringAt("direction"),
                        row.stringAt("op_class"),
                        row.longAt("measured_ns"),
                        row.doubleAt("roofline_ns"),
                        row.isEmpty("systolic_ns") ? 0 : row.doubleAt("systolic_ns"))));
        return layers;
    }

    private List<MeasuredOp> ops() throws IOException {
        List<MeasuredOp> ops = new ArrayList<>();
        forEach(
                SuiteTables.OPS,
                row -> ops.add(new MeasuredOp(
                        row.stringAt("node"),
                        row.stringAt("layer"),
                        row.stringAt("op"),
                        row.longAt("time_ns_median"))));
        return ops;
    }
}
