package dev.stagesim.stage.calibrate;

import dev.stagesim.contract.BundleTables;
import dev.stagesim.io.bundle.Bundle;
import dev.stagesim.io.bundle.BundleReader;
import dev.stagesim.io.bundle.BundleRequest;
import dev.stagesim.io.bundle.BundleRow;
import dev.stagesim.io.bundle.BundleWriter;
import dev.stagesim.io.bundle.ScaledTable;
import dev.stagesim.io.bundle.Stats;
import dev.stagesim.io.gzip.OutputFile;
import dev.stagesim.measure.CalibrateSettings;
import dev.stagesim.measure.CalibrateSettings.Term;
import dev.stagesim.measure.RealSettings;
import dev.stagesim.model.PathPart;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.report.Numbers;
import dev.stagesim.serving.ConditionText;
import dev.stagesim.serving.MeasuredLoad;
import dev.stagesim.serving.ReplicaModel;
import dev.stagesim.serving.config.HostOverhead;
import dev.stagesim.serving.config.ProfileSettings;
import dev.stagesim.sim.serving.spec.Feasibility;
import dev.stagesim.sim.serving.spec.MemoryPlan;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.sim.serving.spec.ServingSpec;
import dev.stagesim.stage.Estimate;
import dev.stagesim.stage.Stage;
import dev.stagesim.stage.StageContext;
import dev.stagesim.stage.StageSpec;
import dev.stagesim.stage.Upstream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Fits host times and efficiencies of a simulation to part of a measured run, and validates them on the rest. */
public final class CalibrateStage implements Stage<CalibrateStageSettings> {
    private static final String REAL = "real";
    private static final String PROFILING = "profiling";

    /** Error of the fitted requests in percent. A fit with a larger error, and little improvement, has failed. */
    private static final double MAX_FIT_ERROR_PERCENT = 10;

    /** Maximum remaining share of a large error. */
    private static final double MIN_IMPROVEMENT = 0.5;

    @Override
    public StageSpec<CalibrateStageSettings> spec() {
        return new StageSpec<>(
                "calibrate",
                "Fit host times and efficiencies of a simulation to part of a measured run, validate them on the rest.",
                CalibrateStageSettings.class,
                () -> Stream.concat(CalibrationTables.all().stream(), BundleTables.ALL.stream())
                        .toList(),
                1,
                false);
    }

    @Override
    public List<Upstream> upstreams(CalibrateStageSettings settings) {
        RealSettings real = settings.real();
        return List.of(
                new Upstream(REAL, "real_bench", List.of("real_bench", "serve_mock"), "real.dir", real.dir()),
                new Upstream(
                        PROFILING,
                        "vidur_profile",
                        List.of("vidur_profile", "calibrate"),
                        "profiling.root",
                        settings.serving().profiling().root()));
    }

    @Override
    public void check(CalibrateStageSettings settings, Path home) {
        List<Problem> problems = new ArrayList<>();
        if (!settings.replica().hasBundle()) {
            problems.add(Problem.config("predictor.kind", "uses no bundle, and a bundle is calibrated")
                    .hint("predictor=interpolation"));
        }
        if (settings.serving().cluster().numPipelineStages() > 1) {
            problems.add(Problem.config(
                    "cluster.num_pipeline_stages",
                    "is " + settings.serving().cluster().numPipelineStages()
                            + ", but steps of several stages overlap, so their times cannot be separated"));
        }
        if (settings.serving().simulation().overheads().host().isPresent()) {
            problems.add(
                    Problem.config("simulation.overheads.host", "has no effect: the times of the host are fitted"));
        }
        if (settings.serving().profiling().root().isEmpty()
                && settings.serving().profile() instanceof ProfileSettings.Roofline roofline
                && roofline.host() instanceof HostOverhead.Linear) {
            problems.add(Problem.config("profile.host", "has no effect: the times of the host are fitted"));
        }
        CalibrateSettings fit = settings.calibrate();
        if (fit.terms().isEmpty()
                || fit.terms().stream().distinct().count() < fit.terms().size()) {
            problems.add(Problem.config("calibrate.terms", "is empty or names a term twice: " + fit.terms()));
        }
        if (fit.holdOut() == 1) {
            problems.add(Problem.config("calibrate.hold_out", "is 1: nothing would be left to fit to"));
        }
        problems.addAll(settings.replica().problems());
        StageException.refuse(problems);
    }

    @Override
    public void run(CalibrateStageSettings settings, StageContext context) throws IOException {
        check(settings, context.home());
        CalibrateSettings fit = settings.calibrate();
        CalibrationData measured = CalibrationData.read(context.input(REAL), fit.holdOut(), fit.seed());
        MeasuredLoad.notModelled(context.input(REAL).dir()).forEach(what -> context.warn("not modelled: " + what));
        ReplicaModel deployment = settings.replica();
        Path bundle = context.input(PROFILING).dir();
        ServingSpec spec = deployment.spec(measured.input().longest(), true, bundle);
        MemoryPlan plan = MemoryPlan.of(spec);
        StageException.refuse(Feasibility.problems(spec, plan, measured.input().trace()));
        warnOfDifferences(settings, spec, plan, context);
        context.expect(new Estimate(0, "", 0, plan.simulatedBytes(spec), 0));
        OperatorTimes times = deployment
                .operatorsOnly()
                .times(measured.input().longest(), false, bundle, context::warn, context.cache());
        boolean hadHost = deployment.addsHost(bundle);
        Simulation before = Simulation.run(
                deployment.spec(measured.input().longest(), hadHost, bundle),
                measured.input(),
                deployment.times(measured.input().longest(), hadHost, bundle, context::warn, context.cache()));
        Fitting.FitResult found = new Fitting(spec, measured, times, fit, context).find();
        BundleRequest request = BundleRequest.of(settings.model(), settings.hardware())
                .onDevices(settings.serving().cluster().tensorParallelSize(), 1)
                .withBlockSize(settings.serving().scheduler().blockSize());
        new CalibratedBundle(settings, found.coefficients()).write(bundle, context.out(), request);
        // the validation uses the written files
        ServingSpec calibrated = deployment.spec(measured.input().longest(), true, context.out());
        OperatorTimes written =
                deployment.times(measured.input().longest(), true, context.out(), context::warn, context.cache());
        Simulation after = Simulation.run(calibrated, measured.input(), written);
        List<CalibrationErrors> errors = new ArrayList<>(CalibrationErrors.of(measured, before, after));
        errors.addAll(CrossValidation.errors(spec, measured, times, fit, context, before));
        List<String> findings = new ArrayList<>(new Plausibility(
                        settings.model(),
                        settings.hardware(),
                        times,
                        settings.serving().cluster().tensorParallelSize())
                .findings(found.coefficients(), found.fitted()));
        found.unidentified().forEach(term -> findings.add(unidentified(term, found)));
        findings.forEach(context::warn);
        new CalibrationFiles(settings, context, measured, found, before, after, errors, findings).write();
        checkFit(found, fit, errors, context);
    }

    private static void warnOfDifferences(
            CalibrateStageSettings settings, ServingSpec spec, MemoryPlan plan, StageContext context)
            throws IOException {
        String blocks = spec.scheduler() instanceof SchedulerSpec.VllmV1 ? "num_gpu_blocks_override" : "num_blocks";
        MeasuredLoad.cacheDifferences(
                        context.input(REAL).dir(),
                        settings.serving().scheduler().blockSize(),
                        plan.numBlocks(),
                        blocks)
                .forEach(context::warn);
        MeasuredLoad.otherEngine(context.input(REAL).dir(), ConditionText.engineName(spec.scheduler()))
                .ifPresent(context::warn);
    }

    private static String unidentified(Term term, Fitting.FitResult found) {
        String kept = Coefficients.isFactor(term) ? "1" : "0 ms";
        String fitted = found.fitted().isEmpty()
                ? "the run has no work of this kind"
                : "the run cannot separate it from "
                        + String.join(
                                ", ",
                                found.fitted().stream()
                                        .map(CalibrationFiles::name)
                                        .toList());
        return CalibrationFiles.name(term) + " is not fitted and stays at " + kept + ": " + fitted
                + "; a run with other batch sizes or lengths may";
    }

    /** Reports a fit that leaves a large error in its own requests as failed. */
    private static void checkFit(
            Fitting.FitResult found, CalibrateSettings fit, List<CalibrationErrors> errors, StageContext context) {
        if (!found.settled()) {
            context.warn("the fit did not settle in calibrate.rounds=" + fit.rounds());
        }
        for (CalibrationErrors each : errors) {
            double before = Math.abs(each.median(each.before()));
            double after = Math.abs(each.median(each.after()));
            boolean isFit = each.part().equals("fit") && !each.metric().equals("ttft");
            if (isFit && after > MAX_FIT_ERROR_PERCENT && after > MIN_IMPROVEMENT * before) {
                context.checkFailed(Problem.of(
                                "the fit failed",
                                each.metric(),
                                "the error of the median of the fitted requests is "
                                        + Numbers.percent(each.median(each.after())) + " after the fit, "
                                        + Numbers.percent(each.median(each.before())) + " before")
                        .hint("check that model, hardware, engine and parallelism match the measurement"));
            }
        }
    }

    /**
     * Writes a bundle with the times of another bundle, scaled by the fitted factors, and with the fitted host times.
     */
    private record CalibratedBundle(CalibrateStageSettings settings, Coefficients coefficients) {
        private static final double MS_PER_S = 1e3;
        private static final int MIN_BATCH = 256;

        void write(Path from, Path to, BundleRequest request) throws IOException {
            Bundle bundle = BundleReader.read(from, request.withHostOverheads(false));
            for (Path file : bundle.files()) {
                Path target = OutputFile.in(to, from.relativize(file).toString());
                ScaledTable.copy(file, target, this::factor);
            }
            host(to, bundle.device());
        }

        /** Returns the factor of a column, if it contains times of an operator with a fitted factor. */
        private double factor(String column) {
            if (!column.startsWith("time_stats.")) {
                return 1;
            }
            String operator = column.split("\\.", 0)[1];
            return switch (operator) {
                case "attn_prefill" -> coefficients.of(Term.PREFILL_ATTENTION);
                case "attn_decode" -> coefficients.of(Term.DECODE_ATTENTION);
                default -> coefficients.of(Term.LINEAR);
            };
        }

        private void host(Path to, String device) throws IOException {
            int degree = settings.serving().cluster().tensorParallelSize();
            List<BundleRow.Host> rows = new ArrayList<>();
            int max = Math.max(MIN_BATCH, settings.serving().scheduler().batchSizeCap());
            for (int batch = 1; batch < 2 * max; batch *= 2) {
                List<Stats> steps = new ArrayList<>();
                for (String step : BundleTables.HOST_STEPS) {
                    double seconds = step.equals("schedule")
                            ? coefficients.of(Term.STEP) + batch * coefficients.of(Term.STEP_REQUEST)
                            : 0;
                    steps.add(Stats.exact(seconds * MS_PER_S));
                }
                rows.add(new BundleRow.Host(degree, batch, steps, 0));
            }
            BundleWriter writer = new BundleWriter(
                    to,
                    settings.model(),
                    device,
                    PathPart.slug(settings.hardware().name()));
            writer.hostOverheads(rows);
            writer.requestOverheads(degree, coefficients.of(Term.REQUEST) * MS_PER_S);
        }
    }
}
