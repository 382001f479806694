package dev.stagesim.verify.scalesim;

import dev.stagesim.io.json.JsonAt;
import dev.stagesim.io.scalesim.ArrayFile;
import dev.stagesim.io.scalesim.ArrayReader;
import dev.stagesim.io.scalesim.LatencyReader;
import dev.stagesim.io.scalesim.LayoutReader;
import dev.stagesim.io.scalesim.Reports;
import dev.stagesim.io.scalesim.TopologyReader;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.systolic.ArraySpec;
import dev.stagesim.sim.systolic.Compat;
import dev.stagesim.sim.systolic.LayerFigures;
import dev.stagesim.sim.systolic.LayerShape;
import dev.stagesim.sim.systolic.SystolicArray;
import dev.stagesim.sim.systolic.Traces;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A case run by us. */
record ScaleSimRun(ArraySpec array, List<ArraySpec> arrays, List<LayerFigures> layers) {

    static ScaleSimRun of(Path path, JsonAt recorded) throws IOException {
        Compat compat = recorded.get("tool").asString().contains("v2") ? Compat.V2 : Compat.V3;
        ArrayFile described = ArrayReader.read(path.resolve("arch.cfg"), compat);
        boolean isGemm = recorded.get("input").asString().equals("gemm");
        List<LayerShape> shapes = TopologyReader.read(path.resolve("topology.csv"), isGemm, compat);
        ArraySpec array = LayoutReader.apply(described, described.array(), path.resolve("layout.csv"));
        int done = recorded.find("layers_done").map(JsonAt::asInt).orElse(shapes.size());
        List<ArraySpec> arrays = new ArrayList<>();
        List<LayerFigures> layers = new ArrayList<>();
        for (int i = 0; i < done; i++) {
            Optional<String> refusal = SystolicArray.refusal(array, shapes.get(i));
            if (refusal.isPresent()) {
                throw StageException.input(Problem.of("case", shapes.get(i).name(), refusal.get()));
            }
            ArraySpec ofLayer = described.isReplayed() ? withLatencies(array, path.resolve("results"), i) : array;
            arrays.add(ofLayer);
            layers.add(SystolicArray.simulate(ofLayer, shapes.get(i)));
        }
        return new ScaleSimRun(array, arrays, layers);
    }

    private static ArraySpec withLatencies(ArraySpec array, Path directory, int layer) throws IOException {
        return array.withLatencies(
                LatencyReader.read(directory, "ifmap", layer),
                LatencyReader.read(directory, "filter", layer),
                LatencyReader.read(directory, "ofmap", layer));
    }

    /** The text of an output file. */
    Optional<String> file(String name) {
        return switch (name) {
            case "COMPUTE_REPORT.csv" ->
                Optional.of(
                        Reports.compute(Reports.once(layers), array.compat()).text());
            case "BANDWIDTH_REPORT.csv" ->
                Optional.of(Reports.bandwidth(Reports.once(layers)).text());
            case "DETAILED_ACCESS_REPORT.csv" ->
                Optional.of(Reports.detailed(Reports.once(layers)).text());
            case "SPARSE_REPORT.csv" ->
                array.sparse()
                        .map(spec -> Reports.sparse(Reports.once(layers), spec).text());
            default -> trace(name);
        };
    }

    private Optional<String> trace(String name) {
        int slash = name.indexOf('/');
        if (!name.startsWith("layer") || slash < 0) {
            return Optional.empty();
        }
        int layer = Integer.parseInt(name.substring("layer".length(), slash));
        StringBuilder out = new StringBuilder();
        Traces.write(arrays.get(layer), layers.get(layer).layer(), (file, line) -> {
            if (file.fileName().equals(name.substring(slash + 1))) {
                out.append(line).append('\n');
            }
        });
        return Optional.of(out.toString());
    }
}
