package dev.stagesim.stage.suitereport;

import dev.stagesim.contract.SuiteTables;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.stage.Stage;
import dev.stagesim.stage.StageContext;
import dev.stagesim.stage.StageSpec;
import dev.stagesim.stage.Upstream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The stage {@code suite_report}: measured workloads of the profiling suite side by side, with what was predicted. */
public final class SuiteReportStage implements Stage<SuiteReportSettings> {
    private static final String KEY = "report.runs";

    @Override
    public StageSpec<SuiteReportSettings> spec() {
        return new StageSpec<>(
                "suite_report",
                "Report measured workloads of the profiling suite: steps, slowest operations, predictions by family.",
                SuiteReportSettings.class,
                List.of(SuiteTables.REPORT, SuiteTables.CLASSES),
                1,
                false);
    }

    @Override
    public List<Upstream> upstreams(SuiteReportSettings settings) {
        List<Upstream> runs = new ArrayList<>();
        for (Path run : settings.report().runs()) {
            runs.add(new Upstream(role(runs.size()), "real_bench", List.of("real_bench"), KEY, Optional.of(run)));
        }
        return runs;
    }

    private static String role(int number) {
        return "run_" + number;
    }

    @Override
    public void check(SuiteReportSettings settings, Path home) {
        if (settings.report().runs().isEmpty()) {
            throw StageException.input(Problem.of("config error", KEY, "names no runs")
                    .hint("report.runs=[DIR,DIR], of ./stage real_bench --multirun bench=tf 'workload=glob(tf/*)'"));
        }
    }

    @Override
    public void run(SuiteReportSettings settings, StageContext context) throws IOException {
        List<MeasuredWorkload> workloads = new ArrayList<>();
        for (int i = 0; i < settings.report().runs().size(); i++) {
            workloads.add(MeasuredWorkload.read(context.input(role(i))));
        }
        workloads.sort(Comparator.comparing(MeasuredWorkload::family).thenComparing(MeasuredWorkload::label));
        List<ReportRow> rows = workloads.stream()
                .map(workload ->
                        ReportRow.of(workload, workloads, settings.report().leastNs()))
                .toList();
        Efficiencies all = Efficiencies.of(workloads);
        workloads(context.out().resolve(SuiteTables.REPORT.name()), rows);
        classes(context.out().resolve(SuiteTables.CLASSES.name()), all);
        SuiteReportPage page = new SuiteReportPage(rows, all, settings.report().leastNs());
        Files.writeString(context.out().resolve("summary.md"), page.markdown(), StandardCharsets.UTF_8);
        Files.writeString(context.out().resolve("report.html"), page.html(), StandardCharsets.UTF_8);
        context.headline("workloads", rows.size());
        context.headline(
                "equal_losses",
                rows.stream().filter(row -> row.workload().hasEqualLosses()).count());
    }

    private static void workloads(Path file, List<ReportRow> rows) throws IOException {
        try (TableWriter table = TableWriter.create(file, SuiteTables.REPORT)) {
            for (ReportRow row : rows) {
                MeasuredWorkload workload = row.workload();
                table.put(workload.label()).put(workload.family()).put(workload.step());
                table.put(workload.input()).put(workload.infer()).put(workload.noise());
                table.put(workload.measured()).put(workload.roofline()).put(workload.systolic());
                put(table, row.heldOut());
                put(table, row.rooflineFold());
                put(table, row.heldOutFold());
                table.endRow();
            }
        }
    }

    private static void put(TableWriter table, Optional<Double> value) throws IOException {
        if (value.isPresent()) {
            table.put((double) value.get());
        } else {
            table.putEmpty();
        }
    }

    private static void classes(Path file, Efficiencies all) throws IOException {
        try (TableWriter table = TableWriter.create(file, SuiteTables.CLASSES)) {
            for (Map.Entry<String, double[]> type : all.classes().entrySet()) {
                table.put(type.getKey()).put((long) type.getValue()[0]).put(type.getValue()[1]);
                table.endRow();
            }
        }
    }
}
