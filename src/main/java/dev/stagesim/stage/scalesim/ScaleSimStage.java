package dev.stagesim.stage.scalesim;

import dev.stagesim.contract.ScaleSimTables;
import dev.stagesim.io.csv.TableWriter;
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
import dev.stagesim.stage.Stage;
import dev.stagesim.stage.StageContext;
import dev.stagesim.stage.StageSpec;
import dev.stagesim.stage.Upstream;
import dev.stagesim.stage.scalesim.ScaleSimSettings.Format;
import dev.stagesim.stage.scalesim.ScaleSimSettings.TopologySettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** The stage {@code scale_sim}: cycles, utilisation, traffic and energy of layers on a systolic array. */
public final class ScaleSimStage implements Stage<ScaleSimSettings> {
    private static final String CATEGORY = "config error";

    @Override
    public StageSpec<ScaleSimSettings> spec() {
        return new StageSpec<>(
                "scale_sim",
                "Runs layers on a systolic array: cycles, utilisation, memory traffic and energy, as SCALE-Sim models it.",
                ScaleSimSettings.class,
                List.of(ScaleSimTables.LAYERS),
                1,
                false);
    }

    @Override
    public List<Upstream> upstreams(ScaleSimSettings settings) {
        return List.of();
    }

    @Override
    public List<Path> reads(ScaleSimSettings settings, Path home) throws IOException {
        List<Path> files = new ArrayList<>();
        files.add(locate(settings.topology().file(), home));
        files.add(locate(settings.arch().file(), home));
        settings.topology().layout().ifPresent(file -> files.add(locate(file, home)));
        settings.topology().latencies().ifPresent(file -> files.add(locate(file, home)));
        return files;
    }

    /** As given, else below the product's home. */
    private static Path locate(Path file, Path home) {
        Path shipped = home.resolve(file.toString());
        return Files.exists(file) || !Files.exists(shipped) ? file : shipped;
    }

    @Override
    public void run(ScaleSimSettings settings, StageContext context) throws IOException {
        Path home = context.home();
        TopologySettings topology = settings.topology();
        ArrayFile described = ArrayReader.read(locate(settings.arch().file(), home), settings.compat());
        check(settings, described);
        List<LayerShape> shapes = batched(
                topology,
                TopologyReader.read(
                        locate(topology.file(), home), topology.format() == Format.GEMM, settings.compat()));
        checkLayers(described.array(), shapes, topology.file());
        ArraySpec array = described.array();
        if (topology.layout().isPresent()) {
            array = LayoutReader.apply(
                    described, array, locate(topology.layout().get(), home));
        }
        List<ArraySpec> arrays = new ArrayList<>();
        for (int i = 0; i < shapes.size(); i++) {
            arrays.add(
                    described.isReplayed()
                            ? replaying(array, locate(topology.latencies().orElseThrow(), home), i)
                            : array);
        }
        // The order of the result is that of the layers, whichever core is done first.
        List<LayerRow> rows = IntStream.range(0, shapes.size())
                .parallel()
                .mapToObj(i -> row(settings, arrays.get(i), shapes.get(i)))
                .toList();
        write(context, array, rows);
        if (settings.traces()) {
            for (int i = 0; i < shapes.size(); i++) {
                TraceWriter.write(array, shapes.get(i), context.out().resolve("layer" + i));
                context.progress("traces", i + 1, shapes.size());
            }
        }
    }

    private static void check(ScaleSimSettings settings, ArrayFile described) {
        TopologySettings topology = settings.topology();
        List<Problem> problems = new ArrayList<>();
        boolean hasLayout = described.hasImageLayout() || described.hasFilterLayout();
        if (hasLayout != topology.layout().isPresent()) {
            problems.add(Problem.of(
                    CATEGORY,
                    "topology.layout",
                    hasLayout
                            ? "the array asks for a custom layout; name the table that gives it"
                            : "has no effect: the array does not ask for a custom layout in USER mode"));
        }
        if (described.isReplayed() != topology.latencies().isPresent()) {
            problems.add(Problem.of(
                    CATEGORY,
                    "topology.latencies",
                    described.isReplayed()
                            ? "the array asks for recorded latencies; name the directory that holds them"
                            : "has no effect: the array does not ask for recorded latencies in USER mode"));
        }
        if (settings.traces() && described.isReplayed()) {
            problems.add(Problem.of(CATEGORY, "traces", "there are no traces with recorded latencies"));
        }
        if (topology.batch() > 1 && topology.format() == Format.CONV) {
            problems.add(
                    Problem.of(CATEGORY, "topology.batch", "convolutions are run one image at a time; leave it at 1"));
        }
        if (!problems.isEmpty()) {
            throw StageException.input(problems);
        }
    }

    private static void checkLayers(ArraySpec array, List<LayerShape> shapes, Path topology) {
        List<Problem> problems = new ArrayList<>();
        for (LayerShape shape : shapes) {
            SystolicArray.refusal(array, shape)
                    .ifPresent(why -> problems.add(
                            Problem.of("topology error", topology.toString(), "layer '" + shape.name() + "': " + why)));
        }
        if (!problems.isEmpty()) {
            throw StageException.input(problems);
        }
    }

    private static List<LayerShape> batched(TopologySettings topology, List<LayerShape> shapes) {
        if (topology.batch() == 1) {
            return shapes;
        }
        return shapes.stream()
                .map(shape -> LayerShape.gemm(
                        shape.name(),
                        Math.multiplyExact(shape.height(), topology.batch()),
                        shape.filters(),
                        shape.width(),
                        shape.kept(),
                        shape.block()))
                .toList();
    }

    private static ArraySpec replaying(ArraySpec array, Path directory, int layer) throws IOException {
        return array.withLatencies(
                LatencyReader.read(directory, "ifmap", layer),
                LatencyReader.read(directory, "filter", layer),
                LatencyReader.read(directory, "ofmap", layer));
    }

    private static LayerRow row(ScaleSimSettings settings, ArraySpec array, LayerShape shape) {
        LayerFigures figures = SystolicArray.simulate(array, shape);
        long reference = array.compat() == Compat.V3
                ? figures.totalCycles()
                : SystolicArray.simulate(array.withCompat(Compat.V3), shape).totalCycles();
        return new LayerRow(figures, reference, settings.energy());
    }

    private static void write(StageContext context, ArraySpec array, List<LayerRow> rows) throws IOException {
        Path out = context.out();
        List<LayerFigures> figures = rows.stream().map(LayerRow::figures).toList();
        text(out, "COMPUTE_REPORT.csv", Reports.compute(figures, array.compat()));
        text(out, "BANDWIDTH_REPORT.csv", Reports.bandwidth(figures));
        text(out, "DETAILED_ACCESS_REPORT.csv", Reports.detailed(figures));
        if (array.sparse().isPresent()) {
            text(
                    out,
                    "SPARSE_REPORT.csv",
                    Reports.sparse(figures, array.sparse().get()));
        }
        table(out, rows);
        ScaleSimSummary summary = new ScaleSimSummary(array, rows);
        text(out, "summary.md", summary.markdown());
        text(out, "report.html", new ScaleSimPage(array, rows, summary).html());
        summary.headlines().forEach(context::headline);
    }

    private static void text(Path out, String name, String text) throws IOException {
        Files.writeString(out.resolve(name), text, StandardCharsets.UTF_8);
    }

    private static void table(Path out, List<LayerRow> rows) throws IOException {
        try (TableWriter table = TableWriter.create(out.resolve(ScaleSimTables.LAYERS.name()), ScaleSimTables.LAYERS)) {
            for (int i = 0; i < rows.size(); i++) {
                LayerRow row = rows.get(i);
                LayerFigures figures = row.figures();
                table.put((long) i)
                        .put(figures.layer().name())
                        .put(row.macs())
                        .put(figures.totalCycles())
                        .put(row.referenceCycles())
                        .put(figures.stallCycles())
                        .put(figures.overallUtilization())
                        .put(figures.mappingEfficiency())
                        .put(figures.computeUtilization())
                        .put(row.sramWords())
                        .put(row.dramWords())
                        .put(row.macPicojoules())
                        .put(row.sramPicojoules())
                        .put(row.dramPicojoules())
                        .endRow();
            }
        }
    }
}
