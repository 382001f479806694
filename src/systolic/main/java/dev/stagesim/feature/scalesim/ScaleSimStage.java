package dev.stagesim.feature.scalesim;

import dev.stagesim.contract.RunConditions;
import dev.stagesim.feature.scalesim.ScaleSimSettings.EnergySettings;
import dev.stagesim.feature.scalesim.ScaleSimSettings.Format;
import dev.stagesim.feature.scalesim.ScaleSimSettings.TopologySettings;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.scalesim.ArrayFile;
import dev.stagesim.io.scalesim.ArrayReader;
import dev.stagesim.io.scalesim.LatencyReader;
import dev.stagesim.io.scalesim.LayoutReader;
import dev.stagesim.io.scalesim.Reports;
import dev.stagesim.io.scalesim.ScaleSimTables;
import dev.stagesim.io.scalesim.TopologyReader;
import dev.stagesim.io.scalesim.TopologyRow;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.systolic.SystolicArray;
import dev.stagesim.sim.systolic.spec.ArraySpec;
import dev.stagesim.sim.systolic.spec.LayerMetrics;
import dev.stagesim.sim.systolic.spec.LayerShape;
import dev.stagesim.sim.systolic.spec.ScaleSimCompat;
import dev.stagesim.stage.ShippedFiles;
import dev.stagesim.stage.Stage;
import dev.stagesim.stage.StageContext;
import dev.stagesim.stage.StageSpec;
import dev.stagesim.stage.Upstream;
import dev.stagesim.workload.TfWorkload;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** The stage {@code scale_sim}: cycles, utilisation, traffic and energy of layers on a systolic array. */
final class ScaleSimStage implements Stage<ScaleSimSettings> {
    private static final String WORKLOAD = "workload";
    /** Products of a whole training step. */
    private static final String PRODUCTS = "topology.csv";

    private static final String TABLE_CATEGORY = "topology error";
    private static final double MAX_SUM = 0x1p62;

    @Override
    public StageSpec<ScaleSimSettings> spec() {
        return new StageSpec<>(
                "scale_sim",
                "Runs layers on a systolic array: cycles, utilisation, memory traffic and energy, as SCALE-Sim models"
                        + " it.",
                ScaleSimSettings.class,
                () -> List.of(ScaleSimTables.LAYERS, ScaleSimTables.ENERGY),
                2,
                false);
    }

    @Override
    public List<Upstream> upstreams(ScaleSimSettings settings) {
        return settings.workload()
                .map(workload ->
                        List.of(new Upstream(WORKLOAD, WORKLOAD, List.of(WORKLOAD), "workload.dir", workload.dir())))
                .orElse(List.of());
    }

    /** A workload provides the products, so the topology section has no effect. */
    @Override
    public List<String> ignoredSections(ScaleSimSettings settings) {
        return settings.workload().isPresent() ? List.of("topology") : List.of();
    }

    @Override
    public void check(ScaleSimSettings settings, Path home) {
        if (settings.workload()
                .filter(workload -> !(workload instanceof TfWorkload))
                .isPresent()) {
            throw StageException.input(
                    Problem.config("workload.kind", "only a workload of the profiling suite has products to run")
                            .hint("workload=tf/mlp_a, or name a table with topology.file"));
        }
    }

    @Override
    public List<Path> reads(ScaleSimSettings settings, Path home) throws IOException {
        List<Path> files = new ArrayList<>();
        files.add(ShippedFiles.file(settings.arch().file(), home));
        if (settings.workload().isPresent()) {
            return files;
        }
        files.add(ShippedFiles.file(settings.topology().file(), home));
        settings.topology().layout().ifPresent(file -> files.add(ShippedFiles.file(file, home)));
        settings.topology().latencies().ifPresent(file -> files.add(ShippedFiles.locate(file, home)));
        return files;
    }

    @Override
    public void run(ScaleSimSettings settings, StageContext context) throws IOException {
        Path home = context.home();
        TopologySettings topology = topology(settings, context);
        ArrayFile described = ArrayReader.read(ShippedFiles.file(settings.arch().file(), home), settings.compat());
        check(topology, described);
        List<TopologyRow> layers = batched(
                topology,
                TopologyReader.rows(
                        ShippedFiles.file(topology.file(), home), topology.format() == Format.GEMM, settings.compat()));
        if (!layers.isEmpty()) {
            described.checkLayers();
        }
        if (described.isReplayed()) {
            // Every product has separate recorded latencies.
            layers = layers.stream().flatMap(TopologyRow::each).toList();
        }
        checkLayers(described.array(), layers, topology.file());
        ArraySpec array = described.array();
        if (topology.layout().isPresent() && !layers.isEmpty()) {
            array = LayoutReader.apply(
                    described, array, ShippedFiles.file(topology.layout().get(), home));
        }
        List<ArraySpec> arrays = arrays(described, array, layers.size(), topology, home);
        context.expect(LayerEffort.of(arrays, layers, settings.traces()));
        // Results are in layer order, independent of the threads.
        List<TopologyRow> all = layers;
        AtomicInteger done = new AtomicInteger();
        List<LayerRow> rows = IntStream.range(0, all.size())
                .parallel()
                .mapToObj(i -> {
                    LayerRow row = row(settings, arrays.get(i), all.get(i));
                    context.progress("layers", done.incrementAndGet(), all.size());
                    return row;
                })
                .toList();
        checkSums(rows, topology.file());
        write(context, array, rows, settings.energy());
        if (settings.traces()) {
            traces(context, arrays, layers);
        }
    }

    /** Returns the array of each layer, with the latencies recorded for that layer. */
    private static List<ArraySpec> arrays(
            ArrayFile described, ArraySpec array, int layers, TopologySettings topology, Path home) throws IOException {
        List<ArraySpec> arrays = new ArrayList<>();
        for (int i = 0; i < layers; i++) {
            arrays.add(
                    described.isReplayed()
                            ? LatencyReader.apply(
                                    array,
                                    ShippedFiles.locate(topology.latencies().orElseThrow(), home),
                                    i)
                            : array);
        }
        return arrays;
    }

    /** Writes the traces of one product per layer, in a folder named by the layer's number in the reports. */
    private static void traces(StageContext context, List<ArraySpec> arrays, List<TopologyRow> layers)
            throws IOException {
        long number = 0;
        for (int i = 0; i < layers.size(); i++) {
            TraceWriter.write(
                    arrays.get(i), layers.get(i).layer(), context.out().resolve("layer" + number));
            number += layers.get(i).products();
            context.progress("traces", i + 1, layers.size());
        }
    }

    /** Returns the configured topology, or the one from the workload's run. */
    private static TopologySettings topology(ScaleSimSettings settings, StageContext context) {
        return settings.workload().isEmpty()
                ? settings.topology()
                : new TopologySettings(
                        context.input(WORKLOAD).file(PRODUCTS), Format.GEMM, 1, Optional.empty(), Optional.empty());
    }

    private static void check(TopologySettings topology, ArrayFile described) {
        List<Problem> problems = new ArrayList<>();
        boolean hasLayout = described.needsLayout();
        if (hasLayout != topology.layout().isPresent()) {
            problems.add(Problem.config(
                    "topology.layout",
                    hasLayout
                            ? "the array uses a custom layout; set this key to the layout table"
                            : "has no effect: the array does not use a custom layout"
                                    + " (compat=none reads it in USER mode only)"));
        }
        if (described.isReplayed() != topology.latencies().isPresent()) {
            problems.add(Problem.config(
                    "topology.latencies",
                    described.isReplayed()
                            ? "the array replays recorded latencies; set this key to their directory"
                            : "has no effect: the array does not replay recorded latencies in USER mode"));
        }
        if (topology.batch() > 1 && topology.format() == Format.CONV) {
            problems.add(Problem.config("topology.batch", "convolutions are run one image at a time; leave it at 1"));
        }
        StageException.refuse(problems);
    }

    private static void checkLayers(ArraySpec array, List<TopologyRow> layers, Path topology) {
        List<Problem> problems = new ArrayList<>();
        for (TopologyRow row : layers) {
            String where = topology + ":" + row.line();
            String name = "layer '" + row.layer().name() + "': ";
            SystolicArray.unsupportedReason(array, row.layer())
                    .ifPresent(why -> problems.add(Problem.of(TABLE_CATEGORY, where, name + why)));
            boolean isIgnored = row.layer().kept() != row.layer().block()
                    && (array.sparse().isEmpty() || array.sparse().get().isOptimized());
            if (isIgnored && array.compat() == ScaleSimCompat.NONE) {
                problems.add(
                        Problem.of(
                                TABLE_CATEGORY,
                                where,
                                name + "sparsity " + row.layer().kept() + ":"
                                        + row.layer().block() + " has no effect: "
                                        + (array.sparse().isEmpty()
                                                ? "the array keeps all weights; see SparsitySupport in its description, or take"
                                                        + " arch=ws_128_sparse"
                                                : "the array draws a random number of kept weights per filter (OptimizedMapping)")));
            }
        }
        StageException.refuse(problems);
    }

    /** Checks that the sums over products and layers fit in 64 bits. */
    private static void checkSums(List<LayerRow> rows, Path topology) {
        double cycles = 0;
        double macs = 0;
        for (LayerRow row : rows) {
            cycles += Math.max(
                            (double) row.figures().totalCycles(),
                            row.reference().totalCycles())
                    * row.products();
            macs += (double) row.figures().layer().macs() * row.products();
        }
        if (Math.max(cycles, macs) > MAX_SUM) {
            throw StageException.input(Problem.of(
                    TABLE_CATEGORY,
                    topology.toString(),
                    "the cycles or multiply-accumulates of all layers and products together exceed 64 bits"));
        }
    }

    /**
     * Applies the batch size: a product with a shared second operand gets more rows, a batched product gets more
     * products.
     */
    private static List<TopologyRow> batched(TopologySettings topology, List<TopologyRow> rows) {
        if (topology.batch() == 1) {
            return rows;
        }
        List<Problem> problems = rows.stream()
                .filter(row -> (long) topology.batch()
                                * (row.products() > 1
                                        ? row.products()
                                        : row.layer().height())
                        > Integer.MAX_VALUE)
                .map(row -> Problem.config(
                        "topology.batch",
                        "makes layer '" + row.layer().name() + "' larger than " + Integer.MAX_VALUE + " rows"))
                .toList();
        StageException.refuse(problems);
        return rows.stream().map(row -> batched(row, topology.batch())).toList();
    }

    private static TopologyRow batched(TopologyRow row, int batch) {
        if (row.products() > 1) {
            return row.with(row.layer(), Math.multiplyExact(row.products(), batch));
        }
        LayerShape layer = row.layer();
        LayerShape longer = LayerShape.gemm(
                layer.name(),
                Math.multiplyExact(layer.height(), batch),
                layer.filters(),
                layer.width(),
                layer.kept(),
                layer.block());
        return row.with(longer, 1);
    }

    /** Simulates a layer in the requested compatibility mode, and in another one for comparison. */
    private static LayerRow row(ScaleSimSettings settings, ArraySpec array, TopologyRow row) {
        LayerMetrics figures = SystolicArray.simulate(array, row.layer());
        boolean isOurs = array.compat() == ScaleSimCompat.NONE;
        LayerMetrics other =
                SystolicArray.simulate(array.withCompat(isOurs ? ScaleSimCompat.V3 : ScaleSimCompat.NONE), row.layer());
        return new LayerRow(
                figures, isOurs ? figures : other, isOurs ? other : figures, row.products(), settings.energy());
    }

    private static void write(StageContext context, ArraySpec array, List<LayerRow> rows, EnergySettings settings)
            throws IOException {
        Path out = context.out();
        // The reports have one row per product, like the reference.
        List<Reports.Row> figures = rows.stream()
                .map(row -> new Reports.Row(row.figures(), row.products()))
                .toList();
        report(out, "COMPUTE_REPORT.csv", Reports.compute(figures, array.compat()));
        report(
                out,
                "BANDWIDTH_REPORT.csv",
                Reports.bandwidth(figures, array.sparse().isPresent()));
        report(out, "DETAILED_ACCESS_REPORT.csv", Reports.detailed(figures));
        if (array.sparse().isPresent()) {
            report(
                    out,
                    "SPARSE_REPORT.csv",
                    Reports.sparse(figures, array.sparse().get()));
        }
        table(out, rows);
        EnergyTable energy = EnergyTable.of(rows, settings);
        energy(out, energy);
        ScaleSimSummary summary = new ScaleSimSummary(array, rows, energy);
        RunConditions conditions = summary.conditions();
        Json.writeDocument(out, conditions);
        summary.report(conditions).write(out);
        summary.headlines().forEach(context::headline);
    }

    private static void energy(Path out, EnergyTable energy) throws IOException {
        TableWriter.write(out, ScaleSimTables.ENERGY, energy.actions(), (table, action) -> {
            table.put(action.component()).put(action.action()).put(action.count());
            table.put(action.picojoules()).put(action.total());
        });
    }

    private static void report(Path out, String name, Reports.Report report) throws IOException {
        try (Writer file = Files.newBufferedWriter(out.resolve(name), StandardCharsets.UTF_8)) {
            report.to(file);
        }
    }

    private static void table(Path out, List<LayerRow> rows) throws IOException {
        try (TableWriter table = TableWriter.in(out, ScaleSimTables.LAYERS)) {
            for (int i = 0; i < rows.size(); i++) {
                LayerRow row = rows.get(i);
                LayerMetrics figures = row.figures();
                table.put((long) i).put(row.name()).put((long) row.products()).put(row.macs());
                table.put(row.cycles()).put(row.referenceCycles()).put(row.stalls());
                table.put(figures.overallUtilization()).put(figures.mappingEfficiency());
                table.put(figures.computeUtilization());
                table.put(row.sramWords()).put(row.dramWords());
                table.put(row.macPicojoules()).put(row.sramPicojoules()).put(row.dramPicojoules());
                table.endRow();
            }
        }
    }
}
