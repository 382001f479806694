package dev.stagesim.stage.calibrate;

import dev.stagesim.contract.BundleTables;
import dev.stagesim.io.bundle.BundleRequest;
import dev.stagesim.measure.CalibrateSettings;
import dev.stagesim.measure.CalibrateSettings.Term;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.report.Numbers;
import dev.stagesim.serving.ConditionText;
import dev.stagesim.serving.MeasuredLoad;
import dev.stagesim.serving.ReplicaModel;
import dev.stagesim.serving.config.HostOverhead;
import dev.stagesim.serving.config.ProfileSettings;
import dev.stagesim.sim.serving.replica.StepTimes;
import dev.stagesim.sim.serving.spec.Feasibility;
import dev.stagesim.sim.serving.spec.MemoryPlan;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.sim.serving.spec.ServingSpec;
import dev.stagesim.stage.Estimate;
import dev.stagesim.stage.RunInput;
import dev.stagesim.stage.Stage;
import dev.stagesim.stage.StageContext;
import dev.stagesim.stage.StageSpec;
import dev.stagesim.stage.Upstream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Fits host times and efficiencies of a simulation to part of a measured run, and validates them on the rest. */
public final class CalibrateStage implements Stage<CalibrateStageSettings> {
    private static final String REAL = "real";
    private static final String PROFILING = "profiling";
    private static final List<String> MEASURED = List.of("real_bench", "serve_mock");

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
        List<Upstream> upstreams = new ArrayList<>();
        upstreams.add(new Upstream(
                REAL, "real_bench", MEASURED, "real.dir", settings.real().dir()));
        upstreams.add(new Upstream(
                PROFILING,
                "vidur_profile",
                List.of("vidur_profile", "calibrate"),
                "profiling.root",
                settings.serving().profiling().root()));
        for (Path run : settings.calibrate().runs()) {
            upstreams.add(
                    new Upstream(REAL + upstreams.size(), "real_bench", MEASURED, "calibrate.runs", Optional.of(run)));
        }
        return upstreams;
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
        Evidence evidence = evidence(settings, context);
        ReplicaModel deployment = settings.replica();
        Path bundle = context.input(PROFILING).dir();
        int longest = evidence.longest(settings.longest());
        ServingSpec spec = deployment.spec(longest, true, bundle);
        MemoryPlan plan = MemoryPlan.of(spec);
        for (CalibrationData run : evidence.runs()) {
            StageException.refuse(Feasibility.problems(spec, plan, run.input().trace()));
        }
        warnOfDifferences(settings, spec, plan, context);
        context.expect(new Estimate(0, "", 0, plan.simulatedBytes(spec), 0));
        OperatorTimes times = deployment.operatorsOnly().times(longest, false, bundle, context::warn, context.cache());
        boolean hadHost = deployment.addsHost(bundle);
        ServingSpec uncalibrated = deployment.spec(longest, hadHost, bundle);
        Simulated before = new Simulated(
                uncalibrated, deployment.times(longest, hadHost, bundle, context::warn, context.cache()), evidence);
        Fitting.FitResult found = new Fitting(spec, evidence, times, fit, context)
                .find(uncalibrated.timing().requestSeconds());
        BundleRequest request = BundleRequest.of(settings.model(), settings.hardware())
                .onDevices(settings.serving().cluster().tensorParallelSize(), 1)
                .withBlockSize(settings.serving().scheduler().blockSize());
        new CalibratedBundle(settings, found.coefficients(), spec.layersPerStage())
                .write(bundle, context.out(), request);
        // the validation uses the written files
        Simulated after = new Simulated(
                deployment.spec(longest, true, context.out()),
                deployment.times(longest, true, context.out(), context::warn, context.cache()),
                evidence);
        List<CalibrationErrors> errors =
                errors(evidence, before, after, found.coefficients().of(Term.GAP));
        errors.addAll(new CrossValidation(spec, evidence, times, fit, context, before.runs()).errors());
        List<String> findings = findings(settings, times, found, evidence);
        findings.addAll(CalibrationErrors.cautions(errors));
        findings.forEach(context::warn);
        new CalibrationFiles(settings, context, evidence, found, before.runs(), after.runs(), errors, findings).write();
        checkFit(found, fit, errors, context);
    }

    private static List<RunInput> inputs(CalibrateStageSettings settings, StageContext context) {
        List<RunInput> inputs = new ArrayList<>(List.of(context.input(REAL)));
        for (int i = 0; i < settings.calibrate().runs().size(); i++) {
            inputs.add(context.input(REAL + (i + 2)));
        }
        return inputs;
    }

    private static Evidence evidence(CalibrateStageSettings settings, StageContext context) throws IOException {
        return Evidence.read(inputs(settings, context), settings.calibrate());
    }

    private static List<String> findings(
            CalibrateStageSettings settings, OperatorTimes times, Fitting.FitResult found, Evidence evidence) {
        int tensorParallel = settings.serving().cluster().tensorParallelSize();
        List<String> findings =
                new ArrayList<>(new Plausibility(settings.model(), settings.hardware(), times, tensorParallel)
                        .findings(found.coefficients(), found.fitted()));
        found.unidentified().forEach(term -> findings.add(unidentified(term, found, evidence)));
        return findings;
    }

    /** A simulation of each measured run, and the times of its steps. */
    private record Simulated(List<Simulation> runs, StepTimes steps) {
        Simulated(ServingSpec spec, OperatorTimes times, Evidence evidence) {
            this(
                    evidence.runs().stream()
                            .map(run -> Simulation.run(spec, run.input(), times))
                            .toList(),
                    new StepTimes(spec, times));
        }
    }

    private static List<CalibrationErrors> errors(Evidence evidence, Simulated before, Simulated after, double gap) {
        List<CalibrationErrors> errors = new ArrayList<>();
        for (boolean heldOut : new boolean[] {false, true}) {
            List<CalibrationErrors.Simulated> requests = new ArrayList<>();
            for (int run = 0; run < evidence.runs().size(); run++) {
                for (CalibrationData.Times t : evidence.runs().get(run).part(heldOut)) {
                    requests.add(new CalibrationErrors.Simulated(
                            t, before.runs().get(run), after.runs().get(run)));
                }
            }
            errors.addAll(CalibrationErrors.of(heldOut ? CalibrationErrors.HELD_OUT : CalibrationErrors.FIT, requests));
        }
        errors.addAll(CalibrationErrors.ofSteps(evidence, before.steps(), after.steps(), gap));
        return errors;
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
        for (RunInput input : inputs(settings, context)) {
            MeasuredLoad.otherEngine(input.dir(), ConditionText.engineName(spec.scheduler()))
                    .ifPresent(text -> context.warn(input.runId() + ": " + text));
        }
    }

    private static String unidentified(Term term, Fitting.FitResult found, Evidence evidence) {
        String kept =
                Numbers.plain(Coefficients.shown(term, found.coefficients().of(term)))
                        + (Coefficients.isFactor(term) ? "" : " ms");
        boolean isAbsent = term == Term.REQUEST && evidence.runs().isEmpty();
        String fitted = found.fitted().isEmpty() || isAbsent
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
}
