package dev.stagesim.verify.scalesim;

import dev.stagesim.io.gzip.Directories;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.scalesim.ArrayFile;
import dev.stagesim.io.scalesim.ArrayReader;
import dev.stagesim.io.scalesim.LatencyReader;
import dev.stagesim.io.scalesim.LayoutReader;
import dev.stagesim.io.scalesim.Reports;
import dev.stagesim.io.scalesim.TopologyReader;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.systolic.SystolicArray;
import dev.stagesim.sim.systolic.Traces;
import dev.stagesim.sim.systolic.spec.ArraySpec;
import dev.stagesim.sim.systolic.spec.LayerMetrics;
import dev.stagesim.sim.systolic.spec.LayerShape;
import dev.stagesim.sim.systolic.spec.ScaleSimCompat;
import dev.stagesim.verify.CaseFolders;
import dev.stagesim.verify.CaseResult;
import dev.stagesim.verify.DifferenceList;
import dev.stagesim.verify.Suite;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Replays runs of SCALE-Sim. Compares reports and traces byte for byte, and console output at the printed precision.
 */
public final class ScaleSimSuite {
    private static final String PART = "scalesim";

    /** The suite. */
    public static final Suite SUITE = new Suite(
            "scalesim",
            "Systolic-array runs as SCALE-Sim v2 and v3 do them, every report byte for byte; a folder with"
                    + " <case>/{arch.cfg,topology.csv,case.json,expected/}.",
            ScaleSimSuite::run);

    private ScaleSimSuite() {}

    private static void run(Path corpus, Consumer<CaseResult> results) throws IOException {
        for (Path path : CaseFolders.in(corpus)) {
            if (Files.isRegularFile(path.resolve("topology.csv"))) {
                results.accept(replay(path));
            }
        }
    }

    private static CaseResult replay(Path path) throws IOException {
        String id = String.valueOf(path.getFileName());
        LocatedJson recorded = Json.read(path.resolve("case.json"));
        boolean isFailure = recorded.find("rc").map(code -> code.asInt() != 0).orElse(false);
        Optional<ScaleSimRun> run = Optional.empty();
        String refusal = "";
        try {
            run = Optional.of(ScaleSimRun.of(path, recorded));
        } catch (StageException wrongInput) {
            refusal = wrongInput.problems().get(0).render();
        }
        if (isFailure) {
            return run.isEmpty()
                    ? CaseResult.passed(PART, id)
                    : CaseResult.failed(
                            PART, id, "outcome", recorded.get("stderr_last").asString(), "a result");
        }
        if (run.isEmpty()) {
            return CaseResult.failed(PART, id, "outcome", "a result", refusal);
        }
        DifferenceList differences = new DifferenceList();
        Path expected = path.resolve("expected");
        if (Files.isRegularFile(expected.resolve("printed.json"))) {
            PrintedFigures.compare(
                    Json.read(expected.resolve("printed.json")), run.get().layers(), differences);
        } else {
            compareFiles(expected, run.get(), differences);
        }
        return differences.result(PART, path);
    }

    private static void compareFiles(Path expected, ScaleSimRun run, DifferenceList differences) throws IOException {
        for (Path file : Directories.files(expected)) {
            String name = expected.relativize(file).toString();
            String wanted = Files.readString(file, StandardCharsets.UTF_8);
            String actual = run.file(name).orElse("no such file");
            differences.lines(name, wanted, actual);
        }
    }

    /** Compares values with the reference's output, at printed precision. */
    private static final class PrintedFigures {
        private PrintedFigures() {}

        static void compare(LocatedJson printed, List<LayerMetrics> layers, DifferenceList differences) {
            for (LocatedJson layer : printed.get("printed_per_layer").items()) {
                int index = layer.get("layer").asInt();
                if (index >= layers.size()) {
                    differences.add("layer " + index, "figures", "none");
                    continue;
                }
                for (Map.Entry<String, LocatedJson> figure : layer.members().entrySet()) {
                    if (!figure.getKey().equals("layer")) {
                        String wanted = figure.getValue().asString();
                        String actual = figure(figure.getKey(), layers.get(index), wanted);
                        differences.same("layer " + index + " " + figure.getKey(), wanted, actual);
                    }
                }
            }
        }

        private static String figure(String name, LayerMetrics layer, String wanted) {
            double cycles = layer.totalCycles();
            return switch (name) {
                case "Total cycles" -> Long.toString(layer.cyclesWithPrefetch());
                case "Compute cycles" -> Long.toString(layer.totalCycles());
                case "Stall cycles" -> Long.toString(layer.stallCycles());
                case "Overall utilization" -> rounded(layer.overallUtilization(), wanted);
                case "Mapping efficiency" -> rounded(layer.mappingEfficiency(), wanted);
                case "Average IFMAP SRAM BW" -> rounded(layer.image().sram().words() / cycles, wanted);
                case "Average Filter SRAM BW" -> rounded(layer.filter().sram().words() / cycles, wanted);
                case "Average OFMAP SRAM BW" -> rounded(layer.output().sram().words() / cycles, wanted);
                case "Average IFMAP DRAM BW" -> rounded(layer.image().dram().bandwidth(), wanted);
                case "Average Filter DRAM BW" -> rounded(layer.filter().dram().bandwidth(), wanted);
                case "Average OFMAP DRAM BW" -> rounded(layer.output().dram().bandwidth(), wanted);
                default -> "an unknown value";
            };
        }

        /** A value with as many decimals as the printed one, rounded half to even from its exact binary value. */
        private static String rounded(double value, String wanted) {
            int decimals = wanted.length() - wanted.indexOf('.') - 1;
            return new BigDecimal(value)
                    .setScale(decimals, RoundingMode.HALF_EVEN)
                    .toPlainString();
        }
    }

    /** A case run by us. */
    private record ScaleSimRun(ArraySpec array, List<ArraySpec> arrays, List<LayerMetrics> layers) {

        static ScaleSimRun of(Path path, LocatedJson recorded) throws IOException {
            ScaleSimCompat compat =
                    recorded.get("tool").asString().contains("v2") ? ScaleSimCompat.V2 : ScaleSimCompat.V3;
            ArrayFile described = ArrayReader.read(path.resolve("arch.cfg"), compat);
            boolean isGemm = recorded.get("input").asString().equals("gemm");
            List<LayerShape> shapes = TopologyReader.read(path.resolve("topology.csv"), isGemm, compat);
            // Compares layouts and similar files layer by layer.
            if (!shapes.isEmpty()) {
                described.checkLayers();
            }
            ArraySpec array = shapes.isEmpty()
                    ? described.array()
                    : LayoutReader.apply(described, described.array(), path.resolve("layout.csv"));
            int done = recorded.find("layers_done").map(LocatedJson::asInt).orElse(shapes.size());
            List<ArraySpec> arrays = new ArrayList<>();
            List<LayerMetrics> layers = new ArrayList<>();
            for (int i = 0; i < done; i++) {
                Optional<String> refusal = SystolicArray.unsupportedReason(array, shapes.get(i));
                if (refusal.isPresent()) {
                    throw StageException.input(Problem.of("case", shapes.get(i).name(), refusal.get()));
                }
                ArraySpec ofLayer =
                        described.isReplayed() ? LatencyReader.apply(array, path.resolve("results"), i) : array;
                arrays.add(ofLayer);
                layers.add(SystolicArray.simulate(ofLayer, shapes.get(i)));
            }
            return new ScaleSimRun(array, arrays, layers);
        }

        /** Returns the text of an output file. */
        Optional<String> file(String name) {
            return switch (name) {
                case "COMPUTE_REPORT.csv" ->
                    Optional.of(Reports.compute(Reports.once(layers), array.compat())
                            .text());
                case "BANDWIDTH_REPORT.csv" ->
                    Optional.of(Reports.bandwidth(
                                    Reports.once(layers), array.sparse().isPresent())
                            .text());
                case "DETAILED_ACCESS_REPORT.csv" ->
                    Optional.of(Reports.detailed(Reports.once(layers)).text());
                case "SPARSE_REPORT.csv" ->
                    array.sparse().map(spec -> Reports.sparse(Reports.once(layers), spec)
                            .text());
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
}
