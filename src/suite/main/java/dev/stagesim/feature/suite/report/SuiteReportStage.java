package dev.stagesim.feature.suite.report;

import dev.stagesim.contract.SuiteTables;
import dev.stagesim.feature.suite.compare.SuiteRun;
import dev.stagesim.feature.suite.measured.Efficiencies;
import dev.stagesim.feature.suite.measured.MeasuredWorkload;
import dev.stagesim.feature.suite.measured.PredictionError;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.stage.Stage;
import dev.stagesim.stage.StageContext;
import dev.stagesim.stage.StageSpec;
import dev.stagesim.stage.Upstream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Stage {@code suite_report}: measured workloads of the profiling suite with their predictions. */
public final class SuiteReportStage implements Stage<SuiteReportSettings> {
    private static final String KEY = "report.runs";

    @Override
    public StageSpec<SuiteReportSettings> spec() {
        return new StageSpec<>(
                "suite_report",
                "Report measured workloads of the profiling suite: steps, slowest operations, predictions by family.",
                SuiteReportSettings.class,
                () -> List.of(SuiteTables.REPORT, SuiteTables.CLASSES),
                2,
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
            throw StageException.input(Problem.config(KEY, "names no runs")
                    .hint("report.runs=[DIR,DIR], of ./stage real_bench --multirun bench=tf 'workload=glob(tf/*)'"));
        }
    }

    @Override
    public void run(SuiteReportSettings settings, StageContext context) throws IOException {
        List<MeasuredWorkload> workloads = new ArrayList<>();
        for (int i = 0; i < settings.report().runs().size(); i++) {
            workloads.add(SuiteRun.read(context.input(role(i)).dir()));
        }
        refuseDoubles(workloads);
        List<PredictionError> rows =
                PredictionError.each(workloads, settings.report().minLayerNs());
        Efficiencies all = Efficiencies.of(workloads);
        workloads(context.out(), rows);
        classes(context.out(), all);
        SuiteReportPage page = new SuiteReportPage(rows, all, settings.report().minLayerNs());
        page.report().write(context.out());
        context.headline("workloads", rows.size());
        context.headline(
                "equal_losses",
                rows.stream().filter(row -> row.workload().hasEqualLosses()).count());
    }

    private static void refuseDoubles(List<MeasuredWorkload> workloads) {
        List<String> labels = workloads.stream().map(MeasuredWorkload::label).toList();
        List<String> twice = labels.stream()
                .filter(label -> labels.indexOf(label) != labels.lastIndexOf(label))
                .distinct()
                .toList();
        if (!twice.isEmpty()) {
            throw StageException.input(Problem.config(KEY, "names more than one run of " + String.join(", ", twice))
                    .hint("two runs of one workload are compared: ./stage compare real.dir=DIR sim.dir=DIR"));
        }
    }

    private static void workloads(Path out, List<PredictionError> rows) throws IOException {
        TableWriter.write(out, SuiteTables.REPORT, rows, (table, row) -> {
            MeasuredWorkload workload = row.workload();
            MeasuredWorkload.Times times = workload.times();
            table.put(workload.label()).put(workload.family()).put(times.step());
            table.put(times.input()).put(times.infer()).put(workload.noise());
            table.put(times.accounted()).put(workload.execution().isCompiled());
            table.put(workload.measured()).put(workload.roofline()).put(workload.systolic());
            table.put(row.heldOutNs()).put(row.rooflineFold()).put(row.systolicFold());
            table.put(row.heldOutFold());
        });
    }

    private static void classes(Path out, Efficiencies all) throws IOException {
        TableWriter.write(out, SuiteTables.CLASSES, all.classes().entrySet(), (table, type) -> table.put(type.getKey())
                .put(type.getValue().layers())
                .put(type.getValue().efficiency()));
    }
}
