package dev.stagesim.stage.vidursim;

import dev.stagesim.contract.Column;
import dev.stagesim.contract.RunConditions;
import dev.stagesim.contract.TableSchema;
import dev.stagesim.contract.Tables;
import dev.stagesim.io.background.Unchecked;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.io.json.Json;
import dev.stagesim.model.StageException;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.report.Report;
import dev.stagesim.serving.CalibrationDocument;
import dev.stagesim.serving.EngineDocument;
import dev.stagesim.serving.ServingInput;
import dev.stagesim.serving.config.SimulationSettings;
import dev.stagesim.serving.tables.SimulationTables;
import dev.stagesim.sim.kernels.StepModel;
import dev.stagesim.sim.serving.ServingOutcome;
import dev.stagesim.sim.serving.ServingSimulator;
import dev.stagesim.sim.serving.metrics.AdmissionTimes;
import dev.stagesim.sim.serving.metrics.BatchWindow;
import dev.stagesim.sim.serving.metrics.LatencySketch;
import dev.stagesim.sim.serving.metrics.OperationLog;
import dev.stagesim.sim.serving.metrics.Usage;
import dev.stagesim.sim.serving.metrics.Utilization;
import dev.stagesim.sim.serving.replica.Batch;
import dev.stagesim.sim.serving.replica.RequestStates;
import dev.stagesim.sim.serving.replica.ServingRecorder;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.spec.MemoryPlan;
import dev.stagesim.sim.serving.spec.ServingSpec;
import dev.stagesim.stage.StageContext;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** One simulation and its artifacts, written during and after it. */
record SimRun(
        VidurSimSettings settings,
        OutputDetail detail,
        ServingSpec spec,
        MemoryPlan plan,
        ServingInput input,
        RunConditions conditions,
        StageContext context) {
    ServingOutcome simulate(OperatorTimes times) throws IOException {
        int replicas = spec.cluster().replicas();
        BatchWindow window = VidurSimStage.window(settings, input);
        Utilization utilization = new Utilization(spec, window);
        Sketches sketches = new Sketches(window, spec.quirks());
        ReportSeries timeline = new ReportSeries(spec, input.firstArrivalSeconds());
        List<ServingRecorder> recorders = new ArrayList<>();
        if (!window.isAll()) {
            recorders.add(window);
        }
        AdmissionTimes admission = new AdmissionTimes(replicas);
        recorders.addAll(List.of(utilization, sketches, admission, new Progress(context, input)));
        if (detail.series()) {
            recorders.add(timeline);
        }
        TokenTimesWriter spread = new TokenTimesWriter(window);
        if (detail.spread()) {
            recorders.add(spread);
        }
        Optional<StepUse> steps = stepUse(times);
        steps.ifPresent(recorders::add);
        Optional<CalibratedSizes> calibrated = calibrated();
        calibrated.ifPresent(recorders::add);
        ServingOutcome outcome = run(times, recorders, window);
        RunConditions stated = beyond(calibrated);
        RequestTimes requestTimes = new RequestTimes(input, outcome.states());
        if (detail.spread()) {
            spread.write(context.out(), outcome.states(), requestTimes);
        }
        writeUse(outcome, utilization, sketches, steps);
        steps.ifPresent(this::warnOfExchange);
        ServingMetrics figures = new ServingMetrics(outcome, requestTimes, utilization, replicas, window);
        figures.headlines().forEach(context::headline);
        context.headline("devices", settings.devices());
        admission.finish(outcome.endSeconds());
        LoadText load = load(figures, admission, utilization);
        stated.evidence().ifPresent(context::notice);
        write(new ServingReport(
                settings, spec, plan, outcome, figures, utilization, timeline, load, steps, labels(figures), stated));
        Json.writeDocument(context.out(), stated);
        warnOfLeftOut(window);
        return outcome;
    }

    /** Returns the verdict on the load, and prints its warnings and its note. */
    private LoadText load(ServingMetrics figures, AdmissionTimes admission, Utilization utilization) {
        boolean isDrawn = ServingInput.isDrawn(settings.workload(), context.input(VidurSimStage.WORKLOAD));
        LoadText load = new LoadText(spec, plan, figures, admission, utilization, isDrawn);
        load.warnings().forEach(context::warn);
        load.note().ifPresent(context::notice);
        return load;
    }

    private RunConditions beyond(Optional<CalibratedSizes> calibrated) {
        List<String> beyond =
                calibrated.map(sizes -> sizes.beyond(input.longest())).orElse(List.of());
        beyond.forEach(what -> context.warn("extrapolated: " + what));
        return conditions.beyond(beyond);
    }

    /** Returns the sizes of the calibration, if the bundle is calibrated. */
    private Optional<CalibratedSizes> calibrated() throws IOException {
        return settings.replica().hasBundle()
                ? Json.readDocument(context.input(VidurSimStage.PROFILING).dir(), CalibrationDocument.class)
                        .map(document -> new CalibratedSizes(document.sizes()))
                : Optional.empty();
    }

    private void writeUse(ServingOutcome outcome, Utilization utilization, Sketches sketches, Optional<StepUse> steps)
            throws IOException {
        UsageWriter.write(context.out(), spec, utilization);
        EngineDocument.write(context.out(), spec, plan, outcome.engine(), outcome.waves());
        sketches.write(context.out());
        if (steps.isPresent()) {
            steps.get().write(context.out());
        }
    }

    private Optional<LabelTable> labels(ServingMetrics figures) {
        return Optional.of(input.trace()).filter(RequestTrace::hasLabels).map(trace -> new LabelTable(figures, trace));
    }

    private void write(ServingReport made) throws IOException {
        Report report = made.report();
        if (settings.simulation().report()) {
            report.write(context.out());
        } else {
            Files.writeString(context.out().resolve("summary.md"), report.markdown());
        }
        if (detail.series()) {
            LoadTable.write(context.out(), made.timeline());
        }
    }

    private void warnOfExchange(StepUse steps) {
        int copy = spec.cluster().tensorParallel()
                * spec.cluster().pipelineStages()
                * spec.cluster().lockStep();
        steps.dominantExchange(copy, settings.replica().hardware()).ifPresent(context::warn);
    }

    private void warnOfLeftOut(BatchWindow window) {
        if (window.excludedRequests() > 0) {
            context.warn(window.excludedRequests()
                    + " requests completed in batches outside simulation.metrics.min_batch_index to max_batch_index; "
                    + "tables and metrics exclude them");
        }
    }

    /** Creates the recorder of step parts, if an engine is simulated. */
    private Optional<StepUse> stepUse(OperatorTimes times) {
        int layers = spec.layersPerStage();
        return times.wholeStep()
                .filter(StepModel.class::isInstance)
                .map(step -> new StepUse(
                        (StepModel) step,
                        times,
                        layers,
                        spec.cluster().tensorParallel() > 1,
                        spec.cluster().pipelineStages()));
    }

    /** Runs the simulator with these recorders and the writers of the tables. */
    private ServingOutcome run(OperatorTimes times, List<ServingRecorder> recorders, BatchWindow window)
            throws IOException {
        try (Writers writers = new Writers(context.out(), recorders, window, times)) {
            ServingOutcome outcome =
                    ServingSimulator.run(spec, input.trace(), times, recorders.toArray(new ServingRecorder[0]));
            outcome.problem().ifPresent(problem -> {
                throw StageException.input(problem);
            });
            writers.finish(outcome.states());
            outcome.states().dropProgress();
            if (writers.traceWasCut()) {
                context.notice("trace.json ends after simulation.trace_events="
                        + settings.simulation().traceEvents() + " events");
            }
            return outcome;
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /** The writers that record the simulation, closed together. */
    private final class Writers implements Closeable {
        private final List<Closeable> open = new ArrayList<>();
        private final RequestWriter requests;
        private Optional<ServingTraceWriter> trace = Optional.empty();
        private Optional<OperationWriter> operations = Optional.empty();

        Writers(Path out, List<ServingRecorder> recorders, BatchWindow window, OperatorTimes times) throws IOException {
            requests = new RequestWriter(out, input, spec.quirks(), window);
            add(recorders, requests);
            try {
                addOthers(out, recorders, window, times);
            } catch (IOException | RuntimeException e) {
                try {
                    close();
                } catch (IOException second) {
                    e.addSuppressed(second);
                }
                throw e;
            }
        }

        private void addOthers(Path out, List<ServingRecorder> recorders, BatchWindow window, OperatorTimes times)
                throws IOException {
            SimulationSettings.Metrics metrics = settings.simulation().metrics();
            if (detail.tokens()) {
                add(recorders, new TokenWriter(out, input, window));
            }
            if (detail.batches()) {
                add(recorders, new BatchWriter(out, window, spec.quirks()));
            }
            if (metrics.operations()) {
                OperationWriter writer = new OperationWriter(out, spec, times);
                operations = Optional.of(writer);
                recorders.add(writer.recorder());
                open.add(writer);
            }
            if (metrics.completionSeries()) {
                add(recorders, new SeriesWriter(out, input.trace(), window, metrics.seriesPoints()));
            }
            if (settings.simulation().traceEvents() > 0) {
                ServingTraceWriter writer =
                        new ServingTraceWriter(out, spec, settings.simulation().traceEvents());
                trace = Optional.of(writer);
                add(recorders, writer);
            }
        }

        private <T extends ServingRecorder & Closeable> void add(List<ServingRecorder> recorders, T writer) {
            recorders.add(writer);
            open.add(writer);
        }

        /** Writes the artifacts that require the complete simulation. */
        void finish(RequestStates states) throws IOException {
            requests.finish(states);
            operations.ifPresent(OperationWriter::finish);
        }

        boolean traceWasCut() {
            return trace.map(ServingTraceWriter::cut).orElse(false);
        }

        @Override
        public void close() throws IOException {
            closeFrom(0);
        }

        /** Closes all writers, also after one has failed. */
        private void closeFrom(int index) throws IOException {
            if (index < open.size()) {
                try (Closeable writer = open.get(index)) {
                    closeFrom(index + 1);
                }
            }
        }
    }

    /** Reports the number of completed requests. */
    private record Progress(StageContext context, ServingInput input) implements ServingRecorder {
        private static final int EVERY = 1024;

        @Override
        public void requestArrived(int request, double time) {
            if (request % EVERY == 0) {
                context.progress("simulating", request, input.trace().size());
            }
        }
    }

    /** Writes {@code utilization.csv}, with the names of the reference in its compatibility mode. */
    private static final class UsageWriter {
        private UsageWriter() {}

        static void write(Path folder, ServingSpec spec, Utilization utilization) throws IOException {
            List<String> columns = SimulationTables.UTILIZATION.columns().stream()
                    .map(Column::name)
                    .filter(name -> spec.quirks() || !name.equals("reference_name"))
                    .toList();
            Path file = folder.resolve(SimulationTables.UTILIZATION.name());
            try (TableWriter out = TableWriter.create(file, SimulationTables.UTILIZATION, columns)) {
                for (Usage usage : Usage.of(spec, utilization)) {
                    row(out, usage, spec.quirks());
                }
            }
        }

        private static void row(TableWriter out, Usage usage, boolean quirks) throws IOException {
            out.put((long) usage.replica());
            out.putUnlessNegative(usage.stage());
            out.put(usage.quantity()).put(usage.min()).put(usage.max());
            out.putIf(!Double.isNaN(usage.mean()), usage.mean());
            if (quirks) {
                out.put(usage.referenceName());
            }
            out.endRow();
        }
    }

    /**
     * Writes {@code batch_metrics.csv} during the simulation. Times start at the planning of a batch, as in the reference, or
     * at its execution.
     */
    private static final class BatchWriter implements ServingRecorder, Closeable {
        private final TableWriter out;
        private final BatchWindow window;
        private final boolean fromPlan;

        BatchWriter(Path folder, BatchWindow window, boolean fromPlan) throws IOException {
            this.window = window;
            this.fromPlan = fromPlan;
            out = TableWriter.in(folder, Tables.BATCH_METRICS);
        }

        @Override
        public Set<Signal> signals() {
            return EnumSet.of(Signal.BATCH_ENDED);
        }

        @Override
        public void batchEnded(Batch batch, double time, RequestStates states) {
            if (!window.holds(batch.id)) {
                return;
            }
            long scheduled = RoundedNanos.of(batch.scheduledAt);
            long completed = RoundedNanos.of(time);
            Unchecked.run(() -> out.put(batch.id)
                    .put((long) batch.replica)
                    .put(scheduled)
                    .put(completed)
                    .put(completed - (fromPlan ? scheduled : RoundedNanos.of(batch.startedAt)))
                    .put((long) batch.size)
                    .put((long) batch.totalTokens)
                    .put((long) batch.prefillTokens)
                    .put((long) batch.totalTokens - batch.prefillTokens)
                    .endRow());
        }

        @Override
        public void close() throws IOException {
            out.close();
        }
    }

    /** Distributions of token and batch times, recorded in sketches and written as quantiles at the end. */
    private static final class Sketches implements ServingRecorder {
        private static final int STEPS = 100;

        private final BatchWindow window;
        private final boolean fromPlan;
        private final LatencySketch tokens = new LatencySketch();
        private final LatencySketch batches = new LatencySketch();

        Sketches(BatchWindow window, boolean fromPlan) {
            this.window = window;
            this.fromPlan = fromPlan;
        }

        @Override
        public Set<Signal> signals() {
            return EnumSet.of(Signal.LATENCIES, Signal.BATCH_ENDED);
        }

        @Override
        public void decodeLatencies(double seconds, int count, double time) {
            if (window.open()) {
                tokens.add(seconds, count);
            }
        }

        @Override
        public void batchEnded(Batch batch, double time, RequestStates states) {
            if (window.open()) {
                batches.add(time - (fromPlan ? batch.scheduledAt : batch.startedAt));
            }
        }

        void write(Path folder) throws IOException {
            write(folder, SimulationTables.TOKEN_TIME_CDF, tokens);
            write(folder, SimulationTables.BATCH_TIME_CDF, batches);
        }

        /** Without samples, the file has no rows. */
        private static void write(Path folder, TableSchema schema, LatencySketch sketch) throws IOException {
            try (TableWriter out = TableWriter.in(folder, schema)) {
                for (int i = 0; i <= STEPS && sketch.count() > 0; i++) {
                    out.put(i * 0.01).put(sketch.quantile(i * 0.01));
                    out.endRow();
                }
            }
        }
    }

    /** Writes the time of each operator in each batch, for all batches as in the reference. */
    private static final class OperationWriter implements Closeable {
        private final TableWriter model;
        private final TableWriter host;
        private final OperationLog log;

        OperationWriter(Path folder, ServingSpec spec, OperatorTimes times) throws IOException {
            model = TableWriter.in(folder, SimulationTables.OPERATIONS);
            host = TableWriter.in(folder, SimulationTables.HOST_OPERATIONS);
            log = new OperationLog(spec, times, this::row);
        }

        /** Returns the recorder of the simulation. */
        ServingRecorder recorder() {
            return log;
        }

        /** Writes the rows of incomplete batches; must be called after the simulation. */
        void finish() {
            log.finish();
        }

        private void row(long batch, double[] onDevice, double[] onHost) {
            Unchecked.run(() -> {
                row(model, batch, onDevice);
                row(host, batch, onHost);
            });
        }

        private static void row(TableWriter out, long batch, double[] values) throws IOException {
            out.put(batch);
            for (double value : values) {
                out.putIf(!Double.isNaN(value), value);
            }
            out.endRow();
        }

        @Override
        public void close() throws IOException {
            try (model) {
                host.close();
            }
        }
    }
}
