package dev.stagesim.stage.workload;

import dev.stagesim.io.scalesim.MnkReader;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Markdown;
import dev.stagesim.report.Numbers;
import dev.stagesim.settings.MnkWorkload;
import dev.stagesim.sim.mnk.Cluster;
import dev.stagesim.sim.mnk.Gemm;
import dev.stagesim.sim.mnk.MnkLayer;
import dev.stagesim.sim.mnk.Pass;
import dev.stagesim.sim.mnk.WorkloadText;
import dev.stagesim.stage.StageContext;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Writes a workload of distributed matrix products, its topologies, and a summary. */
final class MnkWriter {
    private static final List<String> PASSES = List.of("fwd_pass", "inp_grad", "weight_grad");
    private static final String HEADER =
            "Layer name,ifmap height,ifmap width,filter height,filter width,channels,num filter,strides,\n";

    private final MnkWorkload settings;
    private final StageContext context;
    private final Cluster cluster;

    MnkWriter(MnkWorkload settings, StageContext context) {
        this.settings = settings;
        this.context = context;
        MnkChecks.check(settings);
        cluster = new Cluster(settings.numNpus(), settings.numPackages());
    }

    void write() throws IOException {
        Path file = UserFiles.locate(settings.mnk(), context.home());
        String policy = settings.parallel().toUpperCase(Locale.ROOT);
        List<MnkLayer> layers = MnkReader.read(file, policy, cluster, settings.likeReference());
        shares(layers, file);
        MnkCompute compute = MnkCompute.of(settings, context.home());
        List<WorkloadText.Row> rows = new ArrayList<>();
        for (MnkLayer layer : layers) {
            rows.add(row(layer, compute));
        }
        Path out = context.out();
        String name = settings.outputFile();
        Files.writeString(
                out.resolve(name),
                WorkloadText.of(policy, rows, cluster, settings.datatypeSize()),
                StandardCharsets.UTF_8);
        topologies(layers, out.resolve("outputs").resolve(policy).resolve(settings.runName()));
        Files.writeString(out.resolve("summary.md"), summary(rows), StandardCharsets.UTF_8);
        context.headline("layers", rows.size());
        context.headline(
                "compute_cycles", rows.stream().mapToLong(MnkWriter::total).sum());
    }

    /** A share that is cut off to nothing cannot be computed. */
    private void shares(List<MnkLayer> layers, Path file) {
        List<Problem> problems = new ArrayList<>();
        for (MnkLayer layer : layers) {
            Gemm gemm = layer.gemm(Pass.FORWARD, cluster);
            if (gemm.m() < 1 || gemm.n() < 1) {
                problems.add(Problem.of(
                        "m/n/k table error", file.toString(), "layer '" + layer.name() + "' has empty shares"));
            }
        }
        if (!problems.isEmpty()) {
            throw StageException.input(problems);
        }
    }

    private WorkloadText.Row row(MnkLayer layer, MnkCompute compute) {
        List<String> cycles = new ArrayList<>();
        for (Pass pass : Pass.values()) {
            // The reference reads all passes from the last report, with the blank before the number.
            cycles.add(
                    settings.likeReference()
                            ? " " + compute.cycles(layer, Pass.WEIGHT_GRADIENT, cluster)
                            : Long.toString(compute.cycles(layer, pass, cluster)));
        }
        return new WorkloadText.Row(layer, cycles);
    }

    private void topologies(List<MnkLayer> layers, Path folder) throws IOException {
        Files.createDirectories(folder);
        for (Pass pass : Pass.values()) {
            StringBuilder text = new StringBuilder(HEADER);
            for (MnkLayer layer : layers) {
                Gemm gemm = layer.gemm(pass, cluster);
                text.append(layer.name())
                        .append(',')
                        .append(gemm.m())
                        .append(',')
                        .append(gemm.k())
                        .append(",1,");
                text.append(gemm.k()).append(",1,").append(gemm.n()).append(",1,\n");
            }
            String name = stem() + "_" + PASSES.get(pass.ordinal()) + ".csv";
            Files.writeString(folder.resolve(name), text, StandardCharsets.UTF_8);
        }
    }

    /** The table's name without its ending; the reference strips any of the ending's letters. */
    private String stem() {
        String name = String.valueOf(settings.mnk().getFileName());
        return settings.likeReference() ? name.replaceAll("[.csv]+$", "") : name.replaceAll("\\.csv$", "");
    }

    private static long total(WorkloadText.Row row) {
        return row.cycles().stream()
                .mapToLong(text -> Long.parseLong(text.strip()))
                .sum();
    }

    private String summary(List<WorkloadText.Row> rows) {
        DataTable table = new DataTable("Layers")
                .text("Layer")
                .text("Parallelism")
                .number("Forward")
                .number("Input gradient")
                .number("Weight gradient");
        for (WorkloadText.Row row : rows) {
            table.row(
                    row.layer().name(),
                    row.layer().parallelism().name(),
                    row.cycles().get(0),
                    row.cycles().get(1),
                    row.cycles().get(2));
        }
        return new Markdown()
                .heading(1, "Workload of " + rows.size() + " layers")
                .paragraph("Cycles per pass on each of " + Numbers.count(settings.numNpus()) + " processors in "
                        + Numbers.count(settings.numPackages()) + " packages.")
                .table(table)
                .build();
    }
}
