package dev.stagesim.stage.suitereport;

import dev.stagesim.contract.SuiteTables;
import dev.stagesim.io.csv.TableReader;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonAt;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.stage.RunInput;
import dev.stagesim.stats.Quantiles;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A measured workload.
 *
 * @param label name in the suite
 * @param family family
 * @param substitutions what differed from what it asks for
 * @param losses digests of the losses of every process
 * @param steps medians of training steps by process
 * @param step median training step
 * @param input median wait for a batch
 * @param infer median forward pass
 * @param layers layers and directions, empty without traced steps
 * @param slowest operation that takes longest, empty without traced steps
 */
record MeasuredWorkload(
        String label,
        String family,
        List<String> substitutions,
        List<String> losses,
        double[] steps,
        double step,
        double input,
        double infer,
        List<Layer> layers,
        List<String> slowest) {
    private static final int SHOWN = 3;

    MeasuredWorkload {
        substitutions = List.copyOf(substitutions);
        losses = List.copyOf(losses);
        layers = List.copyOf(layers);
        slowest = List.copyOf(slowest);
    }

    /** A layer in one direction; times in nanoseconds, {@code systolic} 0 where nothing is multiplied. */
    record Layer(String name, String direction, String type, double measured, double roofline, double systolic) {}

    static MeasuredWorkload read(RunInput run) throws IOException {
        if (!run.has("framework.json")) {
            throw StageException.input(Problem.of(
                    "artifact error",
                    run.dir().toString(),
                    "measures no workload of the suite: it has no framework.json"));
        }
        JsonAt about = Json.read(run.file("framework.json"));
        Map<String, List<Double>> wall = column(run, SuiteTables.STEPS.name(), "phase", "wall_ns");
        Map<String, List<Double>> byProcess = trained(run);
        double[] medians = byProcess.values().stream()
                .mapToDouble(MeasuredWorkload::median)
                .toArray();
        boolean isTraced = wall.containsKey("trace");
        return new MeasuredWorkload(
                about.get("label").asString(),
                about.get("family").asString(),
                about.get("substitutions").asStrings(),
                about.get("loss_sha256").asStrings(),
                medians,
                median(wall.getOrDefault("train", List.of())),
                median(inputs(run)),
                median(wall.getOrDefault("infer", List.of())),
                isTraced ? layers(run) : List.of(),
                isTraced ? slowest(run) : List.of());
    }

    private static double median(List<Double> values) {
        return values.isEmpty()
                ? 0
                : Quantiles.of(values.stream().mapToDouble(Double::doubleValue).toArray(), 0.5);
    }

    private static Map<String, List<Double>> column(RunInput run, String table, String by, String of)
            throws IOException {
        Map<String, List<Double>> values = new LinkedHashMap<>();
        try (TableReader rows = TableReader.open(run.file(table), SuiteTables.STEPS)) {
            while (rows.next()) {
                values.computeIfAbsent(rows.stringAt(rows.column(by)), key -> new ArrayList<>())
                        .add((double) rows.longAt(rows.column(of)));
            }
        }
        return values;
    }

    private static Map<String, List<Double>> trained(RunInput run) throws IOException {
        Map<String, List<Double>> values = new LinkedHashMap<>();
        try (TableReader rows = TableReader.open(run.file(SuiteTables.STEPS.name()), SuiteTables.STEPS)) {
            while (rows.next()) {
                if (rows.stringAt(rows.column("phase")).equals("train")) {
                    values.computeIfAbsent(Long.toString(rows.longAt(rows.column("process"))), key -> new ArrayList<>())
                            .add((double) rows.longAt(rows.column("wall_ns")));
                }
            }
        }
        return values;
    }

    private static List<Double> inputs(RunInput run) throws IOException {
        List<Double> values = new ArrayList<>();
        try (TableReader rows = TableReader.open(run.file(SuiteTables.INPUTS.name()), SuiteTables.INPUTS)) {
            while (rows.next()) {
                values.add((double) rows.longAt(rows.column("input_ns")));
            }
        }
        return values;
    }

    private static List<Layer> layers(RunInput run) throws IOException {
        List<Layer> layers = new ArrayList<>();
        try (TableReader rows = TableReader.open(run.file(SuiteTables.LAYERS.name()), SuiteTables.LAYERS)) {
            int systolic = rows.column("systolic_ns");
            while (rows.next()) {
                layers.add(new Layer(
                        rows.stringAt(rows.column("layer")),
                        rows.stringAt(rows.column("direction")),
                        rows.stringAt(rows.column("op_class")),
                        rows.longAt(rows.column("measured_ns")),
                        rows.doubleAt(rows.column("roofline_ns")),
                        rows.isEmpty(systolic) ? 0 : rows.doubleAt(systolic)));
            }
        }
        return layers;
    }

    private static List<String> slowest(RunInput run) throws IOException {
        List<String> names = new ArrayList<>();
        try (TableReader rows = TableReader.open(run.file(SuiteTables.OPS.name()), SuiteTables.OPS)) {
            while (names.size() < SHOWN && rows.next()) {
                names.add(rows.stringAt(rows.column("node")) + " (" + rows.stringAt(rows.column("op")) + ")");
            }
        }
        return names;
    }

    /** How far apart equal processes were. */
    double noise() {
        double least = Double.MAX_VALUE;
        double most = 0;
        for (double one : steps) {
            least = Math.min(least, one);
            most = Math.max(most, one);
        }
        return steps.length == 0 || least == 0 ? 0 : most / least - 1;
    }

    double measured() {
        return layers.stream().mapToDouble(Layer::measured).sum();
    }

    double roofline() {
        return layers.stream().mapToDouble(Layer::roofline).sum();
    }

    double systolic() {
        return layers.stream().mapToDouble(Layer::systolic).sum();
    }

    /** Whether processes that ran the same had the same losses; true of one process, too. */
    boolean hasEqualLosses() {
        return losses.stream().distinct().count() == 1;
    }
}
