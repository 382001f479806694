package dev.stagesim.stage.realbench;

import dev.stagesim.bench.MeasuredTables;
import dev.stagesim.contract.RunConditions;
import dev.stagesim.contract.SuiteTables;
import dev.stagesim.contract.Tables;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.measured.Measurement;
import dev.stagesim.io.measured.MeasurementDocument;
import dev.stagesim.io.measured.ReadOptions;
import dev.stagesim.io.measured.Requests;
import dev.stagesim.io.trace.WorkloadDocument;
import dev.stagesim.measure.BenchSettings;
import dev.stagesim.measure.CancelSettings;
import dev.stagesim.measure.RealSettings;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.serving.ServingWorkload;
import dev.stagesim.stage.Stage;
import dev.stagesim.stage.StageContext;
import dev.stagesim.stage.StageKind;
import dev.stagesim.stage.StageSpec;
import dev.stagesim.stage.Upstream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** The stage {@code real_bench}: turns a measurement of a real system into a run. */
public final class RealBenchStage implements Stage<RealBenchSettings> {
    static final String WORKLOAD = "workload";
    private static final Pattern SAME_SHAPE = Pattern.compile("^meta-|-(instruct|chat|it|base|hf)(?=-|$)");
    private static final double BYTES_PER_WEIGHT = 2;

    @Override
    public StageSpec<RealBenchSettings> spec() {
        return new StageSpec<>(
                "real_bench",
                "Measure a real system: read a recording or a benchmark tool's result, or run a workload here.",
                RealBenchSettings.class,
                () -> List.of(
                        Tables.REQUEST_METRICS,
                        Tables.TOKEN_METRICS,
                        Tables.TRACE_LENGTHS,
                        Tables.TRACE_INTERVALS,
                        MeasuredTables.OPERATOR_METRICS,
                        MeasuredTables.COLLECTIVE_METRICS,
                        MeasuredTables.ENGINE_STEPS,
                        MeasuredTables.CLIENT_METRICS,
                        SuiteTables.STEPS,
                        SuiteTables.INPUTS,
                        SuiteTables.OPS,
                        SuiteTables.LAYERS),
                2,
                false);
    }

    /** A file contains its requests. They are compared with a workload if one is given. */
    @Override
    public List<Upstream> upstreams(RealBenchSettings settings) {
        Optional<Path> directory = workloadDirectory(settings);
        if (settings.bench() instanceof BenchSettings.None
                && settings.real().file().isPresent()
                && directory.isEmpty()) {
            return List.of();
        }
        return List.of(new Upstream(
                WORKLOAD,
                WORKLOAD,
                List.of(WORKLOAD, "real_bench", "vidur_sim", "serve_mock"),
                "workload.dir",
                directory));
    }

    static Optional<Path> workloadDirectory(RealBenchSettings settings) {
        return settings.workload() instanceof ServingWorkload serving ? serving.dir() : Optional.empty();
    }

    /** Selects the source of the measurement. */
    private static StageKind<RealBenchSettings> kind(RealBenchSettings settings) {
        if (!(settings.bench() instanceof BenchSettings.None)) {
            Class<?> bench = settings.bench().getClass();
            return StageKind.of(bench, "bench", KeyRecord.kind(bench));
        }
        String source = settings.real().source();
        return switch (source) {
            case RealSettings.ENDPOINT -> new EndpointSource();
            case RealSettings.REFERENCE -> StageKind.of(source, "real.source", source);
            default -> new FileSource();
        };
    }

    @Override
    public List<Path> reads(RealBenchSettings settings, Path home) throws IOException {
        return kind(settings).reads(settings, home);
    }

    /** The result of a live measurement depends on this machine. */
    @Override
    public boolean measures(RealBenchSettings settings) {
        return kind(settings).measures(settings);
    }

    @Override
    public List<String> ignoredSections(RealBenchSettings settings) {
        return kind(settings).ignoredSections(settings);
    }

    /** A measurement of any source is a sample. */
    @Override
    public boolean repeatable(RealBenchSettings settings) {
        return true;
    }

    @Override
    public void check(RealBenchSettings settings, Path home) throws IOException {
        if (settings.bench() instanceof BenchSettings.None
                && settings.real().dir().isPresent()) {
            throw StageException.input(
                    Problem.config("real.dir", "has no effect in real_bench: it names a finished run")
                            .hint("a measurement to read is given with real.file"));
        }
        kind(settings).check(settings, home);
    }

    @Override
    public void run(RealBenchSettings settings, StageContext context) throws IOException {
        check(settings, context.home());
        kind(settings).run(settings, context);
    }

    /** Writes the measurement of a source. */
    public static void write(RealBenchSettings settings, Measurement taken, StageContext context) throws IOException {
        checkNames(settings, taken);
        Measurement measurement = MeasuredClients.of(settings.real(), taken.checked());
        for (String warning : RooflineCheck.warnings(settings.model(), settings.hardware(), measurement)) {
            measurement = measurement.warned(warning);
        }
        measurement.warnings().forEach(context::warn);
        Requests requests = measurement.requests();
        MeasurementFiles files = new MeasurementFiles(context.out(), requests);
        if (requests.size() > 0) {
            files.write(requests.hasChunks(), requests.hasUnknownChunks());
        }
        files.write(measurement.operations());
        Json.writeDocument(context.out(), document(settings, measurement));
        MeasurementSummary summary = new MeasurementSummary(settings, measurement);
        Optional<WorkloadDocument> workload =
                new RealBenchStage().upstreams(settings).isEmpty()
                        ? Optional.empty()
                        : Json.readDocument(context.input(WORKLOAD).dir(), WorkloadDocument.class);
        RunConditions conditions = summary.conditions(workload);
        Json.writeDocument(context.out(), conditions);
        new MeasurementReport(measurement, summary).report(conditions).write(context.out());
        summary.headlines().forEach(context::headline);
    }

    /** Returns the options for a file with several results. */
    public static ReadOptions options(RealSettings real) {
        return new ReadOptions(real.entry(), real.arrivals());
    }

    private static void checkNames(RealBenchSettings settings, Measurement measurement) {
        List<Problem> problems = new ArrayList<>();
        String model = settings.model().name();
        measurement
                .model()
                .filter(name -> !settings.real().anyModel() && !baseName(model).equals(baseName(name)))
                .ifPresent(
                        name -> problems.add(Problem.config("model", "is " + model + ", but " + name + " was measured")
                                .hint("set model=" + name + ", or real.any_model=true if the names mean the same")));
        measurement
                .hardware()
                .filter(name -> !name.equals(settings.hardware().name()))
                .ifPresent(name -> problems.add(Problem.config(
                        "hardware", "is " + settings.hardware().name() + ", but the measurement was made on " + name)));
        StageException.refuse(problems);
    }

    /** Returns the name without owner and without words that do not change the shape of the model. */
    private static String baseName(String model) {
        String trimmed = model.endsWith("/") ? model.substring(0, model.length() - 1) : model;
        String name = trimmed.substring(trimmed.lastIndexOf('/') + 1).toLowerCase(Locale.ROOT);
        return SAME_SHAPE.matcher(name).replaceAll("");
    }

    private static MeasurementDocument document(RealBenchSettings settings, Measurement measurement) {
        double weights = settings.model().size().activeParameters() * BYTES_PER_WEIGHT;
        JsonValue.Obj about = measurement.about();
        return new MeasurementDocument(
                new MeasurementDocument.MeasuredSubject(
                        measurement.format(),
                        settings.model().name(),
                        measurement.model(),
                        settings.hardware().name(),
                        measurement.hardware().isPresent()),
                new MeasurementDocument.MeasuredContent(
                        measurement.requests().size(),
                        measurement.requests().hasChunks(),
                        !measurement.requests().hasUnknownChunks(),
                        settings.hardware().memory().memBwGbs().map(rate -> weights / rate)),
                measurement.published(),
                measurement.warnings(),
                new MeasurementDocument.SourceStatements(
                        about.get("title"),
                        about.get("attribution"),
                        about.get("workload"),
                        about.get("engine"),
                        about.get("settings"),
                        about.get("clock"),
                        about.get("clock_noise"),
                        about.get("rates"),
                        about.get("definitions"),
                        about.get("samples"),
                        about.get("other_simulations"),
                        about.get("notes")));
    }

    /** A server, measured live. */
    private static final class EndpointSource implements StageKind<RealBenchSettings> {
        @Override
        public Object choice() {
            return RealSettings.ENDPOINT;
        }

        @Override
        public List<Path> reads(RealBenchSettings settings, Path home) {
            return settings.endpoint().cancel() instanceof CancelSettings.Listed listed
                    ? List.of(listed.file())
                    : List.of();
        }

        @Override
        public boolean measures(RealBenchSettings settings) {
            return true;
        }

        @Override
        public List<String> ignoredSections(RealBenchSettings settings) {
            return List.of("engine", "scheduler", "cluster");
        }

        @Override
        public void check(RealBenchSettings settings, Path home) {
            RealSettings real = settings.real();
            real.file().ifPresent(file -> {
                throw StageException.input(Problem.config(
                        "real.file", "has no effect with real.source=endpoint, which measures a server"));
            });
            RealBenchStage.options(real).refuse(true, false, "a live measurement is one result");
            LiveServer.of(settings.endpoint(), settings.model().name());
        }

        @Override
        public void run(RealBenchSettings settings, StageContext context) throws IOException {
            RealBenchStage.write(settings, LiveMeasurement.take(settings, context), context);
        }
    }
}
