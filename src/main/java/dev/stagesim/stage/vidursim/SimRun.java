package dev.stagesim.stage.vidursim;

import dev.stagesim.model.StageException;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.serving.EngineFile;
import dev.stagesim.serving.ServingInput;
import dev.stagesim.settings.SimulationSettings;
import dev.stagesim.sim.serving.BatchWindow;
import dev.stagesim.sim.serving.MemoryPlan;
import dev.stagesim.sim.serving.ServingOutcome;
import dev.stagesim.sim.serving.ServingRecorder;
import dev.stagesim.sim.serving.ServingSimulator;
import dev.stagesim.sim.serving.ServingSpec;
import dev.stagesim.sim.serving.Utilization;
import dev.stagesim.stage.StageContext;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** One simulation with its artifacts: those written while it runs, and those written after. */
final class SimRun {
    private final VidurSimSettings settings;
    private final ServingSpec spec;
    private final MemoryPlan plan;
    private final ServingInput input;
    private final StageContext context;

    SimRun(VidurSimSettings settings, ServingSpec spec, MemoryPlan plan, ServingInput input, StageContext context) {
        this.settings = settings;
        this.spec = spec;
        this.plan = plan;
        this.input = input;
        this.context = context;
    }

    ServingOutcome simulate(OperatorTimes times) throws IOException {
        BatchWindow window = window();
        Utilization utilization = new Utilization(spec, window);
        RequestWriter requests = new RequestWriter(input, spec.quirks(), window);
        Sketches sketches = new Sketches(window);
        Timeline timeline = new Timeline(spec, input.firstArrivalSeconds());
        List<ServingRecorder> recorders = new ArrayList<>();
        if (!window.isAll()) {
            recorders.add(window);
        }
        recorders.addAll(List.of(utilization, requests, sketches, new Progress(context, input)));
        if (settings.simulation().report()) {
            recorders.add(timeline);
        }
        ServingOutcome outcome = run(times, recorders, window);
        RequestTimes requestTimes = new RequestTimes(input, outcome.states());
        requests.write(context.out(), outcome.states(), requestTimes);
        UsageWriter.write(context.out(), spec, utilization);
        EngineFile.write(context.out(), spec, plan);
        sketches.write(context.out());
        Figures figures =
                new Figures(outcome, requestTimes, utilization, spec.cluster().replicas(), window);
        figures.headlines().forEach(context::headline);
        String summary = new SummaryText(settings, spec, plan, outcome, figures, utilization).text();
        Files.writeString(context.out().resolve("summary.md"), summary);
        if (settings.simulation().report()) {
            HtmlReport report = new HtmlReport(settings, spec, plan, outcome, figures, utilization, timeline);
            Files.writeString(context.out().resolve("report.html"), report.html());
        }
        if (window.leftOut() > 0) {
            context.warn(window.leftOut() + " requests completed in batches outside simulation.metrics.min_batch_index"
                    + " to max_batch_index; they are in no table and no figure");
        }
        return outcome;
    }

    /** Runs the kernel with these recorders and the writers of the tables. */
    private ServingOutcome run(OperatorTimes times, List<ServingRecorder> recorders, BatchWindow window)
            throws IOException {
        try (Writers writers = new Writers(context.out(), recorders, window, times)) {
            ServingOutcome outcome =
                    ServingSimulator.run(spec, input.trace(), times, recorders.toArray(new ServingRecorder[0]));
            outcome.problem().ifPresent(problem -> {
                throw StageException.input(problem);
            });
            if (writers.traceWasCut()) {
                context.warn("trace.json ends after simulation.trace_events="
                        + settings.simulation().traceEvents() + " events");
            }
            return outcome;
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private BatchWindow window() {
        SimulationSettings.Metrics metrics = settings.simulation().metrics();
        return new BatchWindow(
                metrics.minBatchIndex().orElse(0L), metrics.maxBatchIndex().orElse(Long.MAX_VALUE));
    }

    /** The writers that follow the simulation, closed together. */
    private final class Writers implements Closeable {
        private final List<Closeable> open = new ArrayList<>();
        private Optional<TraceWriter> trace = Optional.empty();

        Writers(Path out, List<ServingRecorder> recorders, BatchWindow window, OperatorTimes times) throws IOException {
            SimulationSettings.Metrics metrics = settings.simulation().metrics();
            if (settings.simulation().tokenMetrics()) {
                add(recorders, new TokenWriter(out, input, window));
            }
            if (settings.simulation().batchMetrics()) {
                add(recorders, new BatchWriter(out, window));
            }
            if (metrics.operations()) {
                add(recorders, new OperationWriter(out, spec, times));
            }
            if (metrics.completionSeries()) {
                add(recorders, new SeriesWriter(out, input.trace(), window, metrics.seriesPoints()));
            }
            if (settings.simulation().traceEvents() > 0) {
                TraceWriter writer =
                        new TraceWriter(out, spec, settings.simulation().traceEvents());
                trace = Optional.of(writer);
                add(recorders, writer);
            }
        }

        private <T extends ServingRecorder & Closeable> void add(List<ServingRecorder> recorders, T writer) {
            recorders.add(writer);
            open.add(writer);
        }

        boolean traceWasCut() {
            return trace.map(TraceWriter::cut).orElse(false);
        }

        @Override
        public void close() throws IOException {
            for (Closeable writer : open) {
                writer.close();
            }
        }
    }

    /** Shows how many requests are done. */
    private record Progress(StageContext context, ServingInput input) implements ServingRecorder {
        private static final int EVERY = 1024;

        @Override
        public void requestArrived(int request, double time) {
            if (request % EVERY == 0) {
                context.progress("simulating", request, input.trace().size());
            }
        }
    }
}
