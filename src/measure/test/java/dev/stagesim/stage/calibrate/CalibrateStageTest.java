package dev.stagesim.stage.calibrate;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.bench.MeasuredTables;
import dev.stagesim.contract.BundleTables;
import dev.stagesim.contract.JsonArtifact;
import dev.stagesim.contract.RequestStatus;
import dev.stagesim.contract.Tables;
import dev.stagesim.io.bundle.BundleReader;
import dev.stagesim.io.bundle.BundleRequest;
import dev.stagesim.io.csv.TableReader;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.measured.Operations.Step;
import dev.stagesim.measure.CalibrateSettings;
import dev.stagesim.measure.Defaults;
import dev.stagesim.measure.OnlineSettings;
import dev.stagesim.measure.RealSettings;
import dev.stagesim.model.StageException;
import dev.stagesim.model.card.CardFiles;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.predict.ScaledTimes;
import dev.stagesim.serving.CalibrationDocument;
import dev.stagesim.serving.ClusterSettings;
import dev.stagesim.serving.ServingInput;
import dev.stagesim.serving.config.ProfileDefaults;
import dev.stagesim.sim.core.RandomStream;
import dev.stagesim.sim.serving.ServingOutcome;
import dev.stagesim.sim.serving.ServingSimulator;
import dev.stagesim.sim.serving.replica.StepTimes;
import dev.stagesim.sim.serving.spec.GlobalPolicy;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.sim.serving.spec.ServingSpec;
import dev.stagesim.sim.serving.spec.VidurQuirk;
import dev.stagesim.stage.FakeContext;
import dev.stagesim.stage.RunInput;
import dev.stagesim.stage.realbench.RealBenchSettings;
import dev.stagesim.stage.realbench.RealBenchStage;
import dev.stagesim.stage.vidurprofile.VidurProfileSettings;
import dev.stagesim.stage.vidurprofile.VidurProfileStage;
import dev.stagesim.workload.SuiteSettings;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Calibrates against simulated runs with predefined terms. */
class CalibrateStageTest {
    private final FileSystem files = Jimfs.newFileSystem(Configuration.unix());
    private final Path bundle = files.getPath("/bundle");
    private final Path real = files.getPath("/real");
    private Optional<Integer> folds = Optional.empty();
    private List<Path> moreRuns = List.of();
    private int runs;
    private long maxGapNs = 120_000_000;
    private ClusterSettings cluster = Defaults.cluster();

    @BeforeEach
    void bundle() throws IOException {
        Files.createDirectories(bundle);
        Files.createDirectories(real);
        VidurProfileSettings made = new VidurProfileSettings(
                CardFiles.model("qwen3"), CardFiles.hardware("a100"), ProfileDefaults.roofline(1), Defaults.engine());
        new VidurProfileStage().run(made, new FakeContext(bundle, files.getPath("/")));
    }

    @AfterEach
    void close() throws IOException {
        files.close();
    }

    private CalibrateStageSettings settings() {
        return Defaults.of(
                CalibrateStageSettings.class,
                Map.ofEntries(
                        entry("model", CardFiles.model("qwen3")),
                        entry("hardware", CardFiles.hardware("a100")),
                        entry("profile", ProfileDefaults.roofline(1)),
                        entry("scheduler", new SchedulerSpec.Vllm(64, 16, 0.01, Optional.empty(), 4096)),
                        entry("predictor", Defaults.predictor()),
                        entry("cluster", cluster),
                        entry(
                                "simulation",
                                new OnlineSettings(
                                        Optional.empty(), Defaults.online().overheads())),
                        entry(
                                "calibrate",
                                new CalibrateSettings(
                                        0.4, folds, Defaults.calibrate().terms(), moreRuns, 20, 100, 3))));
    }

    private void measured(int count, double linear, double stepMs, double stepRequestMs, double requestMs)
            throws IOException {
        measured(count, linear, stepMs, stepRequestMs, requestMs, 0);
    }

    /** Writes a run of a system with these terms and small variations of each step. */
    private void measured(
            int count, double linear, double stepMs, double stepRequestMs, double requestMs, double cachedTokenMs)
            throws IOException {
        RandomStream draws = RandomStream.of(11, "calibrate");
        try (TableWriter lengths = TableWriter.create(real.resolve("trace_lengths.csv"), Tables.TRACE_LENGTHS);
                TableWriter times = TableWriter.create(real.resolve("trace_intervals.csv"), Tables.TRACE_INTERVALS)) {
            long at = 0;
            for (int i = 0; i < count; i++) {
                long gap = i == 0 ? 0 : draws.below(maxGapNs);
                at += gap;
                lengths.put((long) i)
                        .put("p")
                        .put(20 + draws.below(900))
                        .put(1 + draws.below(60))
                        .endRow();
                times.put((long) i).put(gap).put(at).endRow();
            }
        }
        ServingInput input = ServingInput.read(real);
        ServingSpec spec = settings().replica().spec(input.longest(), true, bundle);
        ServingSpec changed = new ServingSpec(
                spec.model(),
                spec.footprint(),
                spec.cluster(),
                spec.scheduler(),
                spec.timing().withRequestSeconds(requestMs / 1e3),
                spec.maxTokens(),
                0,
                VidurQuirk.NONE);
        OperatorTimes known = new ScaledTimes(
                settings().replica().times(input.longest(), false, bundle, warning -> {}, Optional.empty()),
                linear,
                1,
                1,
                stepMs,
                stepRequestMs,
                0,
                cachedTokenMs / spec.layersPerStage());
        ServingOutcome outcome = ServingSimulator.run(changed, input.trace(), known);
        try (TableWriter rows =
                TableWriter.create(real.resolve("request_metrics.csv"), Tables.REQUEST_METRICS, List.of())) {
            for (int i = 0; i < count; i++) {
                long arrival = input.arrivalNs(i);
                long first = Math.round(outcome.states().prefillCompletedAt(i) * 1e9);
                rows.put((long) i).put(arrival).put(first).put(first - arrival);
                rows.put(Math.round(outcome.states().completedAt(i) * 1e9));
                rows.put((long) input.trace().prefillTokens(i));
                rows.put((long) input.trace().decodeTokens(i))
                        .put((long) input.trace().decodeTokens(i));
                rows.put(RequestStatus.COMPLETED.text()).endRow();
            }
        }
    }

    private FakeContext run() throws IOException {
        FakeContext context = new FakeContext(
                        Files.createDirectories(files.getPath("/out" + runs++)), files.getPath("/"))
                .with("real", real, "real_bench")
                .with("profiling", bundle, "vidur_profile");
        for (int i = 0; i < moreRuns.size(); i++) {
            context.with("real" + (i + 2), moreRuns.get(i), "real_bench");
        }
        new CalibrateStage().run(settings(), context);
        return context;
    }

    private static double value(LocatedJson json, String term) {
        return json.get("terms").items().stream()
                .filter(at -> at.get("term").asString().equals(term))
                .findFirst()
                .orElseThrow()
                .get("value")
                .asDouble();
    }

    @Test
    void findsThePredefinedTermsUnderLoad() throws IOException {
        measured(80, 1.4, 6, 0.3, 9);
        FakeContext context = run();
        LocatedJson json = Json.read(
                context.out().resolve(JsonArtifact.of(CalibrationDocument.class).name()));
        assertThat(value(json, "step")).isCloseTo(6, within(0.5));
        assertThat(value(json, "linear")).isCloseTo(1.4, within(0.2));
        assertThat(value(json, "step_request")).isCloseTo(0.3, within(0.05));
        assertThat(value(json, "request")).isCloseTo(9, within(1.5));
        assertThat(context.headlines.get("held_out_tpot_p50_error_before_percent"))
                .isLessThan(-50);
        assertThat(Math.abs(context.headlines.get("held_out_tpot_p50_error_percent")))
                .isLessThan(1);
        assertThat(Math.abs(context.headlines.get("held_out_ttft_p50_error_percent")))
                .isLessThan(5);
        long rows = 0;
        try (TableReader reader = TableReader.open(
                context.out().resolve(CalibrationTables.REQUESTS.name()), CalibrationTables.REQUESTS)) {
            while (reader.next()) {
                rows++;
            }
        }
        assertThat(rows).isEqualTo(80);
        assertThat(Files.readString(context.out().resolve("report.html"))).contains("for validation", "<svg");
    }

    /** The first fits overload the simulation. Their long queues must not end the search. */
    @ParameterizedTest
    @CsvSource({"1.0, 10, 1.9, 5", "1.0, 18, 2, 9", "2.0, 20, 3, 20", "1.0, 15, 1, 100"})
    void fitsASlowServerNearSaturation(double linear, double step, double stepRequest, double request)
            throws IOException {
        measured(80, linear, step, stepRequest, request);
        FakeContext context = run();
        assertThat(context.failedChecks).isEmpty();
        assertThat(context.headlines.get("held_out_tpot_p50_error_before_percent"))
                .isLessThan(-90);
        assertThat(Math.abs(context.headlines.get("held_out_tpot_p50_error_percent")))
                .isLessThan(3);
        assertThat(Math.abs(context.headlines.get("held_out_e2e_p50_error_percent")))
                .isLessThan(3);
    }

    /** Measures the shipped recording with stage real_bench. */
    private void recording() throws IOException {
        Path home = Path.of(System.getProperty("stagesim.home", "."));
        Path recorded = home.resolve("configs/recordings/qwen3-0.6b-a100-sarathi");
        RealBenchSettings read = Defaults.of(
                RealBenchSettings.class,
                Map.ofEntries(
                        entry("model", CardFiles.model("qwen3")),
                        entry("hardware", CardFiles.hardware("a100")),
                        entry(
                                "real",
                                new RealSettings(
                                        "auto",
                                        Optional.empty(),
                                        Optional.of(recorded),
                                        Optional.empty(),
                                        Optional.empty(),
                                        0.001,
                                        false,
                                        Optional.empty())),
                        entry("suite", new SuiteSettings(SuiteSettings.Values.TABLE))));
        new RealBenchStage().run(read, new FakeContext(real, home));
    }

    @Test
    void reducesTheErrorOnTheA100RecordingBelowTenPercent() throws IOException {
        recording();
        FakeContext context = run();
        LocatedJson json = Json.read(
                context.out().resolve(JsonArtifact.of(CalibrationDocument.class).name()));
        List<LocatedJson> errors = json.get("errors").items();
        for (String part : List.of("held_out", "cross_validated")) {
            LocatedJson tpot = errors.stream()
                    .filter(at -> at.get("part").asString().equals(part)
                            && at.get("metric").asString().equals("tpot"))
                    .findFirst()
                    .orElseThrow();
            assertThat(tpot.get("n").asLong()).as(part).isEqualTo(part.equals("held_out") ? 3 : 8);
            assertThat(100 * (tpot.get("p50_real_over_before").asDouble() - 1))
                    .as("%s: measured above simulated before, %%", part)
                    .isGreaterThan(300);
            assertThat(tpot.get("p50_before_percent").asDouble()).as(part).isLessThan(-80);
            assertThat(Math.abs(tpot.get("p50_after_percent").asDouble()))
                    .as(part)
                    .isLessThan(10);
            assertThat(tpot.get("p50_after_low_percent").asDouble()).as(part).isBetween(-10.0, 10.0);
            assertThat(tpot.get("p50_after_high_percent").asDouble()).as(part).isBetween(-10.0, 10.0);
            assertThat(tpot.get("mean_after_percent").asDouble()).as(part).isLessThan(10);
        }
        assertThat(Files.readString(context.out().resolve("summary.md"))).contains("cross validated", "95 % interval");
        assertThat(Files.readString(context.out().resolve("report.html")))
                .contains("Error of the simulated TPOT median", "each predicted by a fit to others");
    }

    @Test
    void holdsOutEachRequestOnceInCrossValidation() throws IOException {
        measured(23, 1, 3, 0, 0);
        CalibrationData all = CalibrationData.read(
                new FakeContext(real, real).with("real", real, "real_bench").input("real"), 0.5, 1);
        List<CalibrationData> parts = all.folds(4, 9);
        assertThat(parts).hasSize(4).allSatisfy(p -> assertThat(p.part(true)).hasSizeBetween(5, 6));
        assertThat(parts.stream().flatMap(p -> p.part(true).stream()).map(CalibrationData.Times::request))
                .hasSize(23)
                .doesNotHaveDuplicates();
        assertThat(all.folds(4, 9)).isEqualTo(parts);
        assertThat(CrossValidation.folds(Defaults.calibrate(), new Evidence(List.of(all), LoggedSteps.NONE)))
                .isEqualTo(8);
        folds = Optional.of(0);
        assertThat(run().headlines).doesNotContainKey("cross_validated_tpot_p50_error_percent");
        folds = Optional.of(2);
        assertThat(Math.abs(run().headlines.get("cross_validated_tpot_p50_error_percent")))
                .isLessThan(1);
    }

    /** Few held-out requests, and metrics that a calibration does not improve, are cautions. */
    @Test
    void cautionsAgainstFewRequestsAndErrorsThatRemain() {
        double[] many = new double[20];
        Arrays.fill(many, 100);
        double[] few = {100, 100, 100};
        double[] better = {104, 104, 104};
        double[] worse = {107, 107, 107};
        assertThat(CalibrationErrors.cautions(List.of(
                        new CalibrationErrors("held_out", "tpot", few, worse, better),
                        new CalibrationErrors("cross_validated", "ttft", few, better, worse))))
                .satisfiesExactly(text -> assertThat(text).contains("only 3 values of TPOT"), text -> assertThat(text)
                        .contains("does not improve TTFT", "+4.0", "+7.0"));
        assertThat(CalibrationErrors.cautions(List.of(
                        new CalibrationErrors("held_out", "ttft", many, many, many),
                        new CalibrationErrors("cross_validated", "ttft", few, worse, better),
                        new CalibrationErrors("cross_validated", "tpot", few, few, few))))
                .isEmpty();
    }

    @Test
    void keepsTheBundleWhenTheRunAgreesWithIt() throws IOException {
        measured(30, 1, 0, 0, 0);
        FakeContext context = run();
        assertThat(Math.abs(context.headlines.get("held_out_tpot_p50_error_percent")))
                .isLessThan(0.2);
        LocatedJson json = Json.read(
                context.out().resolve(JsonArtifact.of(CalibrationDocument.class).name()));
        assertThat(value(json, "linear")).isCloseTo(1, within(0.01));
        assertThat(value(json, "step")).isCloseTo(0, within(0.02));
        BundleRequest request = BundleRequest.of(CardFiles.model("qwen3"), CardFiles.hardware("a100"))
                .withHostOverheads(true);
        assertThat(BundleReader.read(context.out(), request).files())
                .extracting(file -> file.getFileName().toString())
                .contains(BundleTables.MLP.name(), BundleTables.ATTENTION.name(), BundleTables.CPU_OVERHEADS.name());
        assertThat(BundleReader.requestMs(context.out(), request)).isCloseTo(0, within(0.05));
    }

    /** Writes the log of an engine with known host times and a time per token. */
    private Path logged(double stepMs, double stepRequestMs, double tokenMs) throws IOException {
        ServingSpec spec = settings().replica().spec(2048, true, bundle);
        OperatorTimes known = new ScaledTimes(
                settings().replica().times(2048, false, bundle, warning -> {}, Optional.empty()),
                1,
                1,
                1,
                stepMs,
                stepRequestMs,
                tokenMs / spec.layersPerStage(),
                0);
        StepTimes times = new StepTimes(spec, known);
        RandomStream draws = RandomStream.of(12, "steps");
        Path log = Files.createDirectories(files.getPath("/log"));
        try (TableWriter rows =
                TableWriter.create(log.resolve(MeasuredTables.ENGINE_STEPS.name()), MeasuredTables.ENGINE_STEPS)) {
            for (int i = 0; i < 800; i++) {
                int decodes = 1 + (int) draws.below(32);
                int prefills = draws.below(4) == 0 ? 1 : 0;
                int tokens = prefills * (1 + (int) draws.below(900));
                double seconds =
                        times.composed(decodes, decodes, 1, prefills, tokens).totalSeconds(true);
                rows.put("0").put((long) i).put((long) prefills).put((long) tokens);
                rows.put((long) decodes).put((long) decodes).putUnlessNegative(Step.UNKNOWN);
                rows.put(seconds * 1e9 * (0.97 + 0.06 * draws.nextDouble())).endRow();
            }
        }
        return log;
    }

    @Test
    void fitsTheStepsThatAnEngineLogged() throws IOException {
        Files.delete(real);
        Files.move(logged(6, 0.3, 0), real);
        FakeContext context = run();
        LocatedJson json = Json.read(
                context.out().resolve(JsonArtifact.of(CalibrationDocument.class).name()));
        assertThat(value(json, "step")).isCloseTo(6, within(0.3));
        assertThat(value(json, "step_request")).isCloseTo(0.3, within(0.03));
        assertThat(Math.abs(context.headlines.get("held_out_step_p50_error_percent")))
                .isLessThan(2);
        assertThat(json.get("steps_held_out").asLong()).isGreaterThan(250);
        assertThat(context.warnings).anyMatch(warning -> warning.startsWith("request is not fitted and stays at"));
        assertThat(value(json, "request"))
                .as("the time of the engine card")
                .isEqualTo(settings().replica().engine().host().requestUs() / 1e3);
    }

    @Test
    void separatesTheTimeBetweenLoggedSteps() throws IOException {
        measured(80, 1, 8, 0.3, 9);
        moreRuns = List.of(logged(6, 0.3, 0));
        FakeContext context = run();
        LocatedJson json = Json.read(
                context.out().resolve(JsonArtifact.of(CalibrationDocument.class).name()));
        assertThat(value(json, "step")).isCloseTo(6, within(0.4));
        assertThat(value(json, "gap")).isCloseTo(2, within(0.5));
        assertThat(Math.abs(context.headlines.get("held_out_tpot_p50_error_percent")))
                .isLessThan(2);
    }

    @Test
    void fitsATimePerTokenWhereTheOperatorsCannotExplainIt() throws IOException {
        Files.delete(real);
        Files.move(logged(6, 0.3, 5), real);
        FakeContext context = run();
        LocatedJson json = Json.read(
                context.out().resolve(JsonArtifact.of(CalibrationDocument.class).name()));
        assertThat(value(json, "token")).isCloseTo(5, within(0.5));
        assertThat(Math.abs(context.headlines.get("held_out_step_p50_error_percent")))
                .isLessThan(5);
    }

    @Test
    void fitsATimePerCachedTokenWhereTheOperatorsCannotExplainIt() throws IOException {
        maxGapNs = 1_000_000_000;
        measured(80, 1, 8, 0.3, 9, 0.004);
        FakeContext context = run();
        LocatedJson json = Json.read(
                context.out().resolve(JsonArtifact.of(CalibrationDocument.class).name()));
        assertThat(value(json, "cached_token")).isCloseTo(0.004, within(0.0004));
        assertThat(value(json, "decode_attention")).isBetween(0.5, 2.0);
        assertThat(Math.abs(context.headlines.get("held_out_tpot_p50_error_percent")))
                .isLessThan(2);
        OperatorTimes before = times(bundle);
        OperatorTimes after = times(context.out());
        int layers = settings().replica().spec(2048, true, bundle).layersPerStage();
        assertThat(after.decodeMilliseconds(16, 1024) * layers)
                .as("the time is in the bundle")
                .isCloseTo(
                        value(json, "decode_attention") * before.decodeMilliseconds(16, 1024) * layers
                                + value(json, "cached_token") * 16 * 1024,
                        within(0.5));
    }

    private OperatorTimes times(Path tables) throws IOException {
        return settings().replica().times(2048, false, tables, warning -> {}, Optional.empty());
    }

    @Test
    void predictsEachLoadByAFitToTheOthers() throws IOException {
        measured(40, 1, 6, 0.3, 9);
        Path other = files.getPath("/other");
        Files.move(real, other);
        Files.createDirectories(real);
        maxGapNs = 40_000_000;
        measured(60, 1, 6, 0.3, 9);
        moreRuns = List.of(other);
        FakeContext context = run();
        for (String load : List.of("unseen_load_1", "unseen_load_2")) {
            assertThat(Math.abs(context.headlines.get(load + "_tpot_p50_error_percent")))
                    .isLessThan(2);
        }
        assertThat(context.headlines).doesNotContainKey("unseen_load_3_tpot_p50_error_percent");
    }

    /** A run that is also among the fitted ones would be no unseen load. */
    @Test
    void rejectsARunThatOccursTwice() throws IOException {
        measured(10, 1, 0, 0, 0);
        RunInput run =
                new FakeContext(real, real).with("real", real, "real_bench").input("real");
        assertThatThrownBy(() -> Evidence.read(List.of(run, run), Defaults.calibrate()))
                .isInstanceOf(StageException.class)
                .hasMessageContainingAll(run.runId(), "twice");
    }

    @Test
    void rejectsALogWithFewSteps() throws IOException {
        Files.delete(real);
        Files.move(logged(6, 0.3, 0), real);
        Path log = real.resolve(MeasuredTables.ENGINE_STEPS.name());
        Files.write(log, Files.readAllLines(log).subList(0, 6));
        assertThatThrownBy(this::run).isInstanceOf(StageException.class).hasMessageContaining("too few logged steps");
    }

    @Test
    void rejectsUnfittableRuns() throws IOException {
        measured(2, 1, 0, 0, 0);
        assertThatThrownBy(this::run).isInstanceOf(StageException.class).hasMessageContaining("at least 3");
        Files.delete(real.resolve("request_metrics.csv"));
        assertThatThrownBy(this::run).isInstanceOf(StageException.class).hasMessageContaining("aggregates only");
        cluster = new ClusterSettings(1, 1, 2, 0.1, Optional.empty(), GlobalPolicy.ROUND_ROBIN, Optional.empty());
        assertThatThrownBy(this::run)
                .isInstanceOf(StageException.class)
                .hasMessageContaining("cluster.num_pipeline_stages");
    }
}
