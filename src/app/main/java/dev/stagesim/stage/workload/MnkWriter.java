package dev.stagesim.stage.workload;

import dev.stagesim.io.gzip.OutputFile;
import dev.stagesim.model.Count;
import dev.stagesim.model.card.ModelFeature;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.Report;
import dev.stagesim.sim.mnk.Cluster;
import dev.stagesim.sim.mnk.MnkLayer;
import dev.stagesim.sim.mnk.Pass;
import dev.stagesim.sim.mnk.PassTables;
import dev.stagesim.sim.mnk.TransformerLayers;
import dev.stagesim.sim.mnk.WorkloadText;
import dev.stagesim.stage.StageContext;
import dev.stagesim.systolic.MnkWorkload;
import dev.stagesim.workload.CompatMode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Writes a workload of distributed matrix products, its topologies, and a summary. */
final class MnkWriter {
    private final MnkWorkload settings;
    private final StageContext context;
    private final Cluster cluster;
    private final boolean isReference;
    private final boolean isTraining;

    MnkWriter(MnkWorkload settings, CompatMode compat, StageContext context) {
        this.settings = settings;
        this.context = context;
        isReference = compat == CompatMode.ASTRA;
        isTraining = MnkLayers.phase(settings).isTraining();
        cluster = new Cluster(settings.numNpus(), settings.numPackages());
    }

    void write() throws IOException {
        settings.layers()
                .model()
                .map(model -> ModelFeature.warnings(model, TransformerLayers.MODELLED))
                .ifPresent(warnings -> warnings.forEach(context::warn));
        String policy = settings.parallel().toUpperCase(Locale.ROOT);
        List<MnkLayer> layers = MnkLayers.of(settings, policy, cluster, isReference, context.home());
        MnkCompute compute = MnkCompute.of(settings, isReference, layers, context.home());
        List<WorkloadText.Row> rows = new ArrayList<>();
        for (MnkLayer layer : layers) {
            rows.add(row(layer, compute));
        }
        Path out = context.out();
        Files.writeString(
                OutputFile.in(out, settings.outputFile()),
                WorkloadText.of(policy, rows, cluster, settings.datatypeSize()),
                StandardCharsets.UTF_8);
        tables(layers, compute, OutputFile.in(out, "outputs/" + policy + "/" + settings.runName()));
        summary(rows).summary(out);
        context.headline("layers", rows.size());
        context.headline(
                "compute_cycles", rows.stream().mapToLong(MnkWriter::total).sum());
    }

    private WorkloadText.Row row(MnkLayer layer, MnkCompute compute) {
        List<String> cycles = new ArrayList<>();
        for (Pass pass : Pass.values()) {
            if (isReference && compute.firstVersion().isEmpty()) {
                // With version 2 the reference reads all passes from the last report, including the blank before the
                // number.
                cycles.add(" " + compute.cycles(layer, Pass.WEIGHT_GRADIENT, cluster));
            } else {
                boolean isRun = isTraining || pass == Pass.FORWARD;
                cycles.add(Long.toString(isRun ? compute.cycles(layer, pass, cluster) : 0));
            }
        }
        return new WorkloadText.Row(layer, cycles, isTraining);
    }

    /** Writes the topologies for the stage scale_sim, and their reports by SCALE-Sim version 1. */
    private void tables(List<MnkLayer> layers, MnkCompute compute, Path folder) throws IOException {
        Files.createDirectories(folder);
        for (Pass pass : Pass.values()) {
            if (!isTraining && pass != Pass.FORWARD) {
                break;
            }
            String name = stem() + "_" + pass.fileName();
            Files.writeString(
                    OutputFile.in(folder, name + ".csv"),
                    PassTables.topology(layers, pass, cluster),
                    StandardCharsets.UTF_8);
            if (compute.firstVersion().isPresent()) {
                Files.writeString(
                        OutputFile.in(folder, name + "_cycles.csv"),
                        PassTables.firstVersionCycles(
                                layers, pass, cluster, compute.firstVersion().get()),
                        StandardCharsets.UTF_8);
            }
        }
    }

    /** Returns the name of the table without its suffix; the reference strips any trailing letters of the suffix. */
    private String stem() {
        if (settings.mnk().isEmpty()) {
            return "transformer";
        }
        String name = String.valueOf(settings.mnk().get().getFileName());
        return isReference ? name.replaceAll("[.csv]+$", "") : name.replaceAll("\\.csv$", "");
    }

    private static long total(WorkloadText.Row row) {
        return row.cycles().stream()
                .mapToLong(text -> Long.parseLong(text.strip()))
                .sum();
    }

    private Report summary(List<WorkloadText.Row> rows) {
        DataTable table = new DataTable("Layers")
                .columns("Layer", "Type", "Parallelism", "#Forward", "#Input gradient", "#Weight gradient");
        for (WorkloadText.Row row : rows) {
            table.row(
                    row.layer().name(),
                    row.layer().type().name(),
                    row.layer().parallelism().name(),
                    row.cycles().get(0),
                    row.cycles().get(1),
                    row.cycles().get(2));
        }
        return new Report("Workload of " + Count.of(rows.size(), "layer"))
                .answer("Cycles per pass on each of " + Numbers.count(settings.numNpus()) + " processors in "
                        + Numbers.count(settings.numPackages()) + " packages.")
                .table(table);
    }
}
