package dev.stagesim.feature.suite;

import dev.stagesim.contract.SuiteTables;
import dev.stagesim.io.csv.TableReader;
import dev.stagesim.sim.systolic.SystolicArray;
import dev.stagesim.sim.systolic.spec.ArraySpec;
import dev.stagesim.sim.systolic.spec.LayerShape;
import dev.stagesim.stage.RunInput;
import dev.stagesim.stats.Quantiles;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Operation times by node and by layer, with predictions from the workload's operators. */
final class FrameworkTimes {
    private static final String OTHER = "other";
    private static final double P90 = 0.9;

    /** Layer and direction of an operation. */
    record Place(String layer, String direction) {
        /** Parses the place from a node's name. */
        static Place of(String node) {
            String[] parts = node.split("/", 3);
            boolean isBackward = parts[0].equals("backward") && parts.length > 1;
            boolean isUpdate = parts[0].equals("update");
            String layer = isBackward || (isUpdate && parts.length > 2) ? parts[1] : parts[0];
            boolean isLayer = layer.matches("[0-9]{2}_.*") || layer.equals("loss");
            return new Place(isLayer ? layer : OTHER, isBackward ? "backward" : isUpdate ? "update" : "forward");
        }
    }

    /** One operation over all traced steps. */
    record Op(String node, Place place, String kind, long calls, long median, long p90) {}

    /** A layer in one direction: measured and predicted times. */
    record Layer(Place place, String type, long measured, long flops, long bytes, double roofline, double systolic) {
        /** Returns a copy without a measured time, for a step without separate operations. */
        Layer unmeasured() {
            return new Layer(place, type, 0, flops, bytes, roofline, systolic);
        }
    }

    private final Map<String, Map<String, long[]>> byNode = new TreeMap<>();
    private final Map<String, FrameworkRun.Node> sample = new TreeMap<>();
    private final List<String> steps = new ArrayList<>();

    FrameworkTimes(List<FrameworkRun> runs) {
        for (int process = 0; process < runs.size(); process++) {
            for (FrameworkRun.Node node : runs.get(process).nodes) {
                String step = process + ":" + node.step();
                if (!steps.contains(step)) {
                    steps.add(step);
                }
                sample.putIfAbsent(node.name(), node);
                long[] sum = byNode.computeIfAbsent(node.name(), name -> new LinkedHashMap<>())
                        .computeIfAbsent(step, key -> new long[2]);
                sum[0] += node.durationNs();
                sum[1]++;
            }
        }
    }

    /** Returns the operations, slowest first. */
    List<Op> ops() {
        List<Op> all = new ArrayList<>();
        byNode.forEach((name, sums) -> {
            double[] times = series(sums, 0);
            long calls = Math.round(Quantiles.of(series(sums, 1), 0.5));
            String kind = sample.get(name) == null ? "" : sample.get(name).op();
            all.add(new Op(
                    name,
                    Place.of(name),
                    kind,
                    calls,
                    Math.round(Quantiles.of(times, 0.5)),
                    Math.round(Quantiles.of(times, P90))));
        });
        all.sort((a, b) -> Long.compare(b.median(), a.median()));
        return all;
    }

    private double[] series(Map<String, long[]> sums, int figure) {
        return steps.stream()
                .mapToDouble(step -> sums.getOrDefault(step, new long[2])[figure])
                .toArray();
    }

    /** Returns the workload's layers in order, with predictions for the rates that the probe reached. */
    List<Layer> layers(RunInput workload, double flopsPerNs, double bytesPerNs, ArraySpec array, double clockGhz)
            throws IOException {
        Map<Place, double[]> predicted = new LinkedHashMap<>();
        Map<Place, String> types = new LinkedHashMap<>();
        Map<Place, Double> largest = new LinkedHashMap<>();
        TableReader.forEach(workload.file(SuiteTables.OPERATORS.name()), SuiteTables.OPERATORS, row -> {
            String direction = row.stringAt("direction");
            String shown = direction.endsWith("gradient") ? "backward" : direction;
            Place place = new Place(row.stringAt("layer"), shown);
            double flops = row.longAt("flops") + (double) row.longAt("elementwise_flops");
            double bytes = row.longAt("bytes");
            double time = Math.max(flops / flopsPerNs, bytes / bytesPerNs);
            double[] sum = predicted.computeIfAbsent(place, key -> new double[4]);
            sum[3] += cycles(array, row) / clockGhz;
            sum[0] += flops;
            sum[1] += bytes;
            sum[2] += time;
            if (time >= largest.getOrDefault(place, 0.0)) {
                largest.put(place, time);
                types.put(place, row.stringAt("op_class"));
            }
        });
        Map<Place, Long> measured = measured();
        List<Layer> all = new ArrayList<>();
        predicted.forEach((place, sum) -> all.add(new Layer(
                place,
                types.getOrDefault(place, ""),
                measured.getOrDefault(place, 0L),
                (long) sum[0],
                (long) sum[1],
                sum[2],
                sum[3])));
        return all;
    }

    /** Cycles of an operator's products without memory stalls; 0 if there are no products. */
    private static double cycles(ArraySpec array, TableReader row) {
        long m = row.longAt("m");
        if (m == 0) {
            return 0;
        }
        LayerShape product = LayerShape.gemm(
                row.stringAt("layer"),
                Math.toIntExact(m),
                Math.toIntExact(row.longAt("n")),
                Math.toIntExact(row.longAt("k")));
        return (double) SystolicArray.cycles(array, product) * row.longAt("count");
    }

    /** Median over steps of a layer's total operation time. */
    private Map<Place, Long> measured() {
        Map<Place, double[]> sums = new LinkedHashMap<>();
        byNode.forEach((name, times) -> {
            double[] series = series(times, 0);
            double[] sum = sums.computeIfAbsent(Place.of(name), key -> new double[series.length]);
            for (int i = 0; i < series.length; i++) {
                sum[i] += series[i];
            }
        });
        Map<Place, Long> medians = new LinkedHashMap<>();
        sums.forEach((place, series) -> medians.put(place, Math.round(Quantiles.of(series, 0.5))));
        return medians;
    }
}
