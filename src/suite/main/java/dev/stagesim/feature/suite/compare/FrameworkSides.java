package dev.stagesim.feature.suite.compare;

import dev.stagesim.feature.suite.measured.SuiteArtifacts;
import dev.stagesim.io.gzip.OutputFile;
import dev.stagesim.io.json.Json;
import dev.stagesim.measure.BenchSettings;
import dev.stagesim.model.PathPart;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.report.Chart;
import dev.stagesim.report.SvgChart;
import dev.stagesim.stage.RunInput;
import dev.stagesim.stage.StageContext;
import dev.stagesim.stage.Upstream;
import dev.stagesim.stage.compare.CompareStage;
import dev.stagesim.stage.compare.CompareStageSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The kind of comparison in which the real side is a suite workload: its inputs, checks and outputs. */
public final class FrameworkSides implements CompareStage.Kind {
    private static final String MEASURED = "real_bench";
    private static final String SIM = "sim";
    private static final String NOISE = "noise";

    /** True if the real side is a suite workload, measured in this run or earlier. */
    @Override
    public boolean takes(CompareStageSettings settings) {
        return settings.measurement().bench() instanceof BenchSettings.Tf
                || settings.measurement().real().dir().filter(SuiteRun::isIn).isPresent();
    }

    @Override
    public List<Upstream> upstreams(CompareStageSettings settings) {
        List<Upstream> inputs = new ArrayList<>();
        inputs.add(new Upstream(
                "real",
                MEASURED,
                List.of(MEASURED),
                "real.dir",
                settings.measurement().real().dir()));
        settings.sim()
                .dir()
                .ifPresent(dir -> inputs.add(new Upstream(
                        SIM, MEASURED, List.of(MEASURED, "scale_sim", "workload"), "sim.dir", Optional.of(dir))));
        Optional<Path> again = settings.compare().noise().dir();
        if (again.isPresent() || settings.compare().noise().measure().orElse(false)) {
            inputs.add(new Upstream(NOISE, MEASURED, List.of(MEASURED), "compare.noise.dir", again).again());
        }
        for (Path run : settings.compare().fit().runs()) {
            inputs.add(new Upstream(
                    fitted(inputs.size()), MEASURED, List.of(MEASURED), "compare.fit.runs", Optional.of(run)));
        }
        return inputs;
    }

    private static String fitted(int number) {
        return "fit_" + number;
    }

    /** Rejects options that do not apply to a suite workload. */
    @Override
    public void check(CompareStageSettings settings) {
        List<Problem> problems = FrameworkComparison.problems(
                settings.compare(), settings.sim().dir().isPresent());
        Optional<Path> dir = settings.measurement().real().dir();
        if (dir.isPresent() && settings.compare().noise().measure().orElse(false)) {
            problems.add(Problem.config("compare.noise.measure", "the real side is not measured by this run")
                    .hint("give a second measurement with compare.noise.dir"));
        }
        StageException.refuse(problems);
    }

    @Override
    public void run(CompareStageSettings settings, StageContext context) throws IOException {
        List<RunInput> fitted = new ArrayList<>();
        List<Upstream> inputs = upstreams(settings);
        for (Upstream input : inputs) {
            if (input.role().startsWith("fit_")) {
                fitted.add(context.input(input.role()));
            }
        }
        FrameworkComparison comparison = FrameworkComparison.of(
                context.input("real"),
                input(inputs, SIM, context),
                input(inputs, NOISE, context),
                fitted,
                settings.compare());
        write(comparison, context.out());
        report(comparison, context);
    }

    private static Optional<RunInput> input(List<Upstream> inputs, String role, StageContext context) {
        return inputs.stream().anyMatch(input -> input.role().equals(role))
                ? Optional.of(context.input(role))
                : Optional.empty();
    }

    private static void write(FrameworkComparison comparison, Path out) throws IOException {
        new FrameworkTables(out, comparison).write();
        Json.write(
                out.resolve(SuiteArtifacts.FRAMEWORK_COMPARISON.name()),
                SuiteArtifacts.FRAMEWORK_COMPARISON,
                FrameworkJson.of(comparison));
        FrameworkReport report = new FrameworkReport(comparison);
        Path figures = Files.createDirectories(out.resolve("figs"));
        for (Chart chart : report.charts()) {
            Files.writeString(OutputFile.in(figures, PathPart.of(chart.name()) + ".svg"), SvgChart.standalone(chart));
        }
        report.report().write(out);
    }

    private static void report(FrameworkComparison comparison, StageContext context) {
        if (!comparison.workload().substitutions().isEmpty()) {
            context.warn(comparison.workload().label() + " ran with substitutions: "
                    + String.join("; ", comparison.workload().substitutions()));
        }
        context.headline("step_p50_ns", comparison.workload().times().step());
        context.headline("noise_percent", comparison.noise() * 100);
        comparison.stepPercent().ifPresent(percent -> context.headline("step_p50_difference_percent", percent));
        for (FrameworkPrediction prediction : comparison.predictions()) {
            double whole = comparison
                    .other()
                    .filter(other -> prediction.key().equals(SIM))
                    .map(other -> other.times().step())
                    .orElse(prediction.sum());
            context.headline(prediction.key() + "_step_ns", whole);
            prediction
                    .fold(comparison.workload(), comparison.settings().fit().minLayerNs())
                    .ifPresent(fold -> context.headline(prediction.key() + "_layers_off_by", fold));
        }
        comparison.failure().ifPresent(context::checkFailed);
    }
}
