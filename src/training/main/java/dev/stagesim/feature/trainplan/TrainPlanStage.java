package dev.stagesim.feature.trainplan;

import dev.stagesim.contract.RunConditions;
import dev.stagesim.io.chakra.EtWriter;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.TraceEvents;
import dev.stagesim.model.KeyNames;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.card.ModelFeature;
import dev.stagesim.model.trace.EtMetadata;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.report.Numbers;
import dev.stagesim.sim.training.Architecture;
import dev.stagesim.sim.training.Finalists.Finalist;
import dev.stagesim.sim.training.FlopsDefinition;
import dev.stagesim.sim.training.Layout;
import dev.stagesim.sim.training.MemoryModel;
import dev.stagesim.sim.training.NetworkConfirmation;
import dev.stagesim.sim.training.NetworkTraces;
import dev.stagesim.sim.training.SimulatedPipeline;
import dev.stagesim.sim.training.StageCollectives;
import dev.stagesim.sim.training.StepEstimate;
import dev.stagesim.sim.training.Strategy;
import dev.stagesim.sim.training.StrategySearch.Candidate;
import dev.stagesim.sim.training.schedule.Op;
import dev.stagesim.stage.Stage;
import dev.stagesim.stage.StageContext;
import dev.stagesim.stage.StageSpec;
import dev.stagesim.stage.Upstream;
import dev.stagesim.traces.GroupFiles;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The stage {@code train_plan}: finds the fastest parallelism that fits, and writes the framework settings to run it.
 */
final class TrainPlanStage implements Stage<TrainPlanSettings> {
    private static final double MICROS = 1e6;
    private static final int MAX_EVENTS = 20_000;

    @Override
    public StageSpec<TrainPlanSettings> spec() {
        return new StageSpec<>(
                "train_plan",
                "Plan a training run: find the fastest parallelism that fits, with memory, timeline and framework"
                        + " settings.",
                TrainPlanSettings.class,
                TrainPlanTables::all,
                2,
                false);
    }

    @Override
    public List<Upstream> upstreams(TrainPlanSettings settings) {
        return List.of();
    }

    @Override
    public List<Path> reads(TrainPlanSettings settings, Path home) {
        return settings.measured().stream().toList();
    }

    @Override
    public void check(TrainPlanSettings settings, Path home) {
        PlanRequest.check(settings);
    }

    @Override
    public void run(TrainPlanSettings settings, StageContext context) throws IOException {
        Path out = context.out();
        ModelFeature.warnings(settings.model(), Architecture.MODELLED).forEach(context::warn);
        TrainingPlan plan;
        try {
            plan = TrainingPlan.of(settings);
        } catch (TrainingPlan.NoFeasibleStrategy infeasible) {
            TableFiles.rejected(infeasible.rejected(), out);
            RunConditions conditions = context.conditions(PlanSummary.conditions(settings));
            Json.writeDocument(out, conditions);
            PlanSummary.infeasible(conditions, infeasible.problem(), infeasible.rejected())
                    .write(out);
            context.checkFailed(infeasible.problem());
            return;
        }
        TableFiles.write(plan, out);
        PlanSummary summary = new PlanSummary(plan);
        RunConditions conditions = context.conditions(summary.conditions());
        Json.writeDocument(out, conditions);
        summary.report(conditions).write(out);
        timeline(out.resolve("timeline.json"), plan.pipeline());
        Path best = Files.createDirectories(out.resolve("best"));
        for (Map.Entry<String, String> file :
                new FrameworkConfigs(plan, plan.winner()).all().entrySet()) {
            text(best, file.getKey(), file.getValue());
        }
        if (settings.traces()) {
            TraceFiles.write(plan, Files.createDirectories(best.resolve("traces")));
            if (plan.collectives().isPresent()) {
                TraceFiles.stage(plan.collectives().get(), Files.createDirectories(best.resolve("stage_traces")));
            }
        }
        context.notice(summary.answer());
        new PlanWarnings(plan).list().forEach(context::warn);
        summary.headlines().forEach(context::headline);
    }

    private static void text(Path folder, String name, String text) throws IOException {
        Files.writeString(folder.resolve(name), text, StandardCharsets.UTF_8);
    }

    /** Writes the pipeline of a strategy as a Perfetto trace with one track per rank. */
    private static void timeline(Path file, SimulatedPipeline confirmed) throws IOException {
        int each = Math.max(1, MAX_EVENTS / confirmed.order().ranks());
        try (BufferedWriter out = Files.newBufferedWriter(file)) {
            TraceEvents events = new TraceEvents(out, "ms");
            for (int rank = 0; rank < confirmed.order().ranks(); rank++) {
                events.thread(0, rank, "rank " + rank);
                int[] ops = confirmed.order().ops()[rank];
                for (int i = 0; i < Math.min(each, ops.length); i++) {
                    long start = Math.round(confirmed.timeline().start()[rank][i] * MICROS);
                    long end = Math.round(confirmed.timeline().end()[rank][i] * MICROS);
                    events.event('X').text("name", Op.name(ops[i]));
                    events.number("pid", 0).number("tid", rank);
                    // readers drop events that overlap, so ends are rounded like the next start
                    events.number("ts", start).number("dur", end - start);
                    events.end();
                }
            }
            events.finish();
        }
    }

    /** Writes the tables of a plan. */
    private static final class TableFiles {
        private TableFiles() {}

        static void write(TrainingPlan plan, Path out) throws IOException {
            TableWriter.write(
                    out,
                    TrainPlanTables.STRATEGIES,
                    plan.reported().entrySet(),
                    (table, entry) -> strategy(table, plan, entry.getKey(), entry.getValue()));
            rejected(plan.rejected(), out);
            try (TableWriter table = TableWriter.in(out, TrainPlanTables.RANKS)) {
                List<MemoryModel.Rank> ranks = plan.ranks();
                for (int rank = 0; rank < ranks.size(); rank++) {
                    table.put(rank).put(plan.layersOfRank(rank));
                    parts(table, ranks.get(rank)).endRow();
                }
            }
            if (plan.calibration().isPresent()) {
                TableWriter.write(
                        out,
                        TrainPlanTables.CALIBRATION,
                        plan.calibration().get().steps(),
                        (table, step) -> table.put(
                                        PlanSummary.shape(step.measured().strategy()))
                                .put(step.measured().seconds())
                                .put(step.plain())
                                .put(step.leftOut())
                                .put(100 * step.error()));
            }
            TableWriter.write(out, TrainPlanTables.COLLECTIVES, plan.exchanges(), (table, row) -> {
                table.put(row.part()).put(row.members()).put(row.stride()).put(row.bytes());
                table.put(row.times()).put(row.formula()).put(row.network());
            });
            TableWriter.write(
                    out, TrainPlanTables.SENSITIVITY, plan.changes(), (table, change) -> table.put(change.what())
                            .put(change.best().map(Finalist::step).orElse(0.0))
                            .put(change.best().map(plan::worse).orElse(0.0)));
        }

        static void rejected(Map<String, Long> rejected, Path out) throws IOException {
            TableWriter.write(
                    out, TrainPlanTables.REJECTED, rejected.entrySet(), (table, rule) -> table.put(rule.getKey())
                            .put(rule.getValue()));
        }

        private static TableWriter parts(TableWriter table, MemoryModel.Rank memory) throws IOException {
            return table.put(memory.weights())
                    .put(memory.gradients())
                    .put(memory.optimizer())
                    .put(memory.activations())
                    .put(memory.working())
                    .put(memory.head());
        }

        private static void strategy(TableWriter table, TrainingPlan plan, Finalist finalist, int rank)
                throws IOException {
            Candidate candidate = finalist.candidate();
            Strategy s = candidate.strategy();
            StepEstimate e = candidate.step();
            table.put(rank)
                    .put(plan.result().front().contains(candidate) ? 1 : 0)
                    .put(s.devices())
                    .put(s.tensor())
                    .put(s.pipeline())
                    .put(s.virtual())
                    .put(s.data())
                    .put(s.context())
                    .put(s.expert())
                    .put(s.expertTensor())
                    .put(s.zero())
                    .put(s.zero() == 0 ? 1 : s.shardGroup())
                    .put(s.microBatch())
                    .put(s.microBatches(plan.settings().batch().global()))
                    .put(KeyNames.constant(s.recompute()))
                    .put(s.schedule().id())
                    .put(layers(candidate.layout()))
                    .put(PlanSummary.frameworks(plan, candidate))
                    .put(e.step())
                    .put(finalist.step())
                    .put(e.forward())
                    .put(e.backward())
                    .put(e.recomputation())
                    .put(e.tensor())
                    .put(e.context())
                    .put(e.expert())
                    .put(e.bubble())
                    .put(e.data())
                    .put(e.optimizer())
                    .put(plan.tokensPerSecond(candidate))
                    .put(plan.utilisation(candidate, FlopsDefinition.CAUSAL))
                    .put(plan.utilisation(candidate, FlopsDefinition.FULL))
                    .put(plan.utilisation(candidate, FlopsDefinition.HARDWARE))
                    .put(plan.usdPerMillionTokens(candidate));
            parts(table, candidate.memory()).put(candidate.memory().total());
        }

        private static String layers(Layout layout) {
            StringBuilder text = new StringBuilder();
            for (int stage = 0; stage < layout.stages(); stage++) {
                text.append(stage == 0 ? "" : "-").append(layout.layers(stage));
            }
            return text.toString();
        }
    }

    /** Writes the pipeline of the winner as ASTRA-sim execution traces, with durations in microseconds. */
    private static final class TraceFiles {
        private static final long NANOS_PER_MICRO = 1000;

        private TraceFiles() {}

        static void write(TrainingPlan plan, Path folder) throws IOException {
            SimulatedPipeline confirmed = plan.pipeline();
            long operations = NetworkTraces.operations(confirmed);
            if (operations > NetworkConfirmation.MAX_OPERATIONS) {
                throw StageException.input(Problem.of(
                        "plan error",
                        "traces",
                        "the winner's pipeline has " + operations + " operations, above the maximum of "
                                + NetworkConfirmation.MAX_OPERATIONS));
            }
            PlanRequest request = plan.request();
            List<List<EtNode>> traces =
                    NetworkTraces.traces(confirmed, request.model(), request.machine(), request.job());
            for (int npu = 0; npu < traces.size(); npu++) {
                trace(folder.resolve("plan." + npu + ".et"), traces.get(npu));
            }
            Json.write(
                    folder.resolve("comm_groups.json"),
                    GroupFiles.json(
                            NetworkConfirmation.groups(confirmed.candidate().strategy())));
        }

        /** Writes the collectives of a stage, which are the same for each of its devices. */
        static void stage(StageCollectives collectives, Path folder) throws IOException {
            List<EtNode> nodes = collectives.trace();
            int devices = collectives.dimensions().stream().reduce(1, Math::multiplyExact);
            for (int npu = 0; npu < devices && !nodes.isEmpty(); npu++) {
                trace(folder.resolve("stage." + npu + ".et"), nodes);
            }
        }

        private static void trace(Path file, List<EtNode> nodes) throws IOException {
            try (EtWriter writer = EtWriter.create(file, EtMetadata.EMPTY)) {
                for (EtNode node : nodes) {
                    writer.write(node.withDuration((node.durationMicros() + NANOS_PER_MICRO - 1) / NANOS_PER_MICRO));
                }
            }
        }
    }

    /** Warnings of a plan. */
    private record PlanWarnings(TrainingPlan plan) {
        /** Relative difference above which the closed form is reported as unreliable. */
        private static final double MAX_DIFFERENCE = 0.05;

        List<String> list() {
            List<String> warnings = new ArrayList<>();
            PlanSummary.extrapolated(plan.settings()).forEach(input -> warnings.add("extrapolated: " + input));
            Candidate winner = plan.winner();
            if (plan.frameworks(winner).isEmpty()) {
                warnings.add("hypothetical: no supported framework runs the winner; best/limits.md has the reasons");
            }
            if (plan.utilisation(winner, FlopsDefinition.CAUSAL) > 100) {
                warnings.add("the plan exceeds the peak of the device; check the hardware card");
            }
            double closed = winner.step().step();
            if (simulatedStep() > (1 + MAX_DIFFERENCE) * closed) {
                warnings.add("the winner takes " + Numbers.significant(simulatedStep(), 4)
                        + " s by simulation of its pipeline and network, and " + Numbers.significant(closed, 4)
                        + " s in closed form; the tables show the closed form");
            }
            plan.calibration()
                    .filter(fit -> fit.bound() > 0)
                    .ifPresent(fit -> warnings.add("the factor fitted to "
                            + plan.settings().measured().get()
                            + " is limited to " + Numbers.fixed(fit.bound(), 3)
                            + ": the measured steps are slower or faster than is plausible for the device; check their units, strategy,"
                            + " batch and sequence"));
            return warnings;
        }

        /** Returns the step time of the winner on its timeline or on the network, whichever is longer. */
        private double simulatedStep() {
            double timeline = plan.finalists().get(0).step();
            return plan.network(plan.finalists().get(0))
                    .map(n -> Math.max(timeline, n.step()))
                    .orElse(timeline);
        }
    }
}
