package dev.stagesim.feature.trainplan;

import dev.stagesim.contract.RunConditions;
import dev.stagesim.model.KeyNames;
import dev.stagesim.model.Problem;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.card.ModelFeature;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Drawing;
import dev.stagesim.report.Markup;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.Report;
import dev.stagesim.serving.ConditionText;
import dev.stagesim.sim.training.Architecture;
import dev.stagesim.sim.training.Calibration;
import dev.stagesim.sim.training.Finalists.Finalist;
import dev.stagesim.sim.training.FlopsDefinition;
import dev.stagesim.sim.training.MemoryModel;
import dev.stagesim.sim.training.NetworkConfirmation;
import dev.stagesim.sim.training.SimulatedPipeline;
import dev.stagesim.sim.training.StageCollectives;
import dev.stagesim.sim.training.StepEstimate;
import dev.stagesim.sim.training.Strategy;
import dev.stagesim.sim.training.StrategySearch.Candidate;
import dev.stagesim.sim.training.schedule.Op;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Report of a plan. */
record PlanSummary(TrainingPlan plan) {
    /** P90 error on published steps by device generation, from specs/training-planner.md. */
    private static final Map<String, Double> RANGES = Map.of("Ampere", 0.18, "Hopper", 0.14, "Blackwell", 0.26);

    private static final double DEFAULT_RANGE = 0.19;

    private static final int SHOWN = 10;

    private Candidate winner() {
        return plan.winner();
    }

    /** Returns the names of the frameworks that support a candidate. */
    static String frameworks(TrainingPlan plan, Candidate candidate) {
        String names = plan.frameworks(candidate).stream().map(Framework::label).collect(Collectors.joining(", "));
        return names.isEmpty() ? "hypothetical" : names;
    }

    /** Returns the conditions of a search without a feasible strategy. */
    static RunConditions conditions(TrainPlanSettings settings) {
        return conditions(settings, "", settings.cluster().devices(), "");
    }

    /** Returns the report of a search without a feasible strategy. */
    static Report infeasible(RunConditions conditions, Problem problem, Map<String, Long> rejected) {
        DataTable table = new DataTable("Rejected strategies").columns("Rule", "#Strategies");
        rejected.forEach((rule, count) -> table.row(rule.replace('_', ' '), Numbers.count(count)));
        return new Report("Training plan")
                .footer("Stagesim · train_plan")
                .answer(
                        Report.Tone.BAD,
                        Character.toUpperCase(problem.what().charAt(0))
                                + problem.what().substring(1) + ".")
                .conditions(conditions)
                .section("rejected", "Rejected strategies")
                .table(table);
    }

    /** Returns the winner and its step in one sentence. */
    String answer() {
        Strategy s = winner().strategy();
        String frameworks = frameworks(plan, winner());
        return (frameworks.equals("hypothetical")
                        ? "Hypothetical, because no supported framework runs it: "
                        : "With " + frameworks + ": ")
                + plan.request().model().name() + " on " + Numbers.count(s.devices()) + " × "
                + plan.request().machine().name() + ": " + shape(s) + " takes "
                + Numbers.significant(winner().step().step(), 4) + " s per step of " + batch(plan.settings())
                + " in closed form and "
                + Numbers.significant(plan.simulated(plan.finalists().get(0)), 4) + " s simulated, "
                + Numbers.significant(plan.tokensPerSecond(winner()) / s.devices(), 4)
                + " tokens/s per device, " + Numbers.fixed(plan.utilisation(winner(), FlopsDefinition.CAUSAL), 1)
                + " % MFU (causal), and " + TrainingPlan.gib(winner().memory().total())
                + " GiB on the device with the most memory in use.";
    }

    private String calibrationSummary() {
        if (plan.calibration().isPresent()) {
            return calibrated(plan.calibration().get()) + alternatives();
        }
        return published()
                        .map(range -> "The step is not calibrated: on published steps of "
                                + generation(plan.settings().hardware())
                                + " devices, nine of ten predictions are within " + Numbers.fixed(100 * range, 0)
                                + " %. ")
                        .orElse(
                                "The step is not calibrated, and no published steps of this device generation were compared. ")
                + alternatives();
    }

    private static String generation(HardwareCard hardware) {
        return hardware.device().generation().split(" ", 2)[0];
    }

    private Optional<Double> published() {
        return Optional.ofNullable(RANGES.get(generation(plan.settings().hardware())));
    }

    private static String calibrated(Calibration fit) {
        int steps = fit.steps().size();
        String text = "The device's efficiency is " + Numbers.fixed(fit.factor(), 3)
                + " times the default, fitted to " + (steps == 1 ? "one measured step" : steps + " measured steps")
                + "; ";
        return steps == 1
                ? text + "one step is not enough to estimate the error of other steps. "
                : text + "the error of steps outside the fit is " + Numbers.fixed(100 * fit.medianError(), 1)
                        + " % (median), at most " + Numbers.fixed(100 * fit.worstError(), 1) + " %. ";
    }

    private double range() {
        return plan.calibration()
                .filter(fit -> fit.steps().size() > 1)
                .map(Calibration::worstError)
                .orElse(published().orElse(DEFAULT_RANGE));
    }

    private DataTable calibration(Calibration fit) {
        DataTable table = new DataTable("Measured steps")
                .columns("Strategy", "#Measured (s)", "#Uncalibrated (s)", "#Held out (s)", "#Error %");
        return table.rows(
                fit.steps(),
                step -> List.of(
                        shape(step.measured().strategy()),
                        Numbers.significant(step.measured().seconds(), 4),
                        Numbers.significant(step.plain(), 4),
                        Numbers.significant(step.leftOut(), 4),
                        Numbers.signed(100 * step.error(), 1)));
    }

    private String alternatives() {
        Optional<Finalist> second = plan.second();
        if (second.isEmpty()) {
            return "No other strategy fits.";
        }
        double next = plan.worse(second.get()) / 100;
        TrainPlanSettings.Objective objective = plan.settings().objective();
        return "The next best, " + shape(second.get().candidate().strategy()) + ", is "
                + Numbers.fixed(100 * next, 1)
                + (objective == TrainPlanSettings.Objective.STEP_TIME
                        ? " % slower"
                        : " % worse by objective=" + KeyNames.constant(objective))
                + " on the network"
                + (next <= range() ? ", which is within that error: measure both before a long run." : ".");
    }

    static String shape(Strategy s) {
        StringBuilder text = new StringBuilder("tp ").append(s.tensor());
        text.append(", pp ").append(s.pipeline());
        if (s.virtual() > 1) {
            text.append(" × ").append(s.virtual());
        }
        text.append(", dp ").append(s.data());
        if (s.context() > 1) {
            text.append(", cp ").append(s.context());
        }
        if (s.expert() > 1) {
            text.append(", ep ").append(s.expert());
        }
        if (s.pipeline() > 1) {
            text.append(", ").append(s.schedule().id());
        }
        text.append(", ZeRO ").append(s.zero());
        if (s.zero() > 0 && s.shardGroup() < s.replicas()) {
            text.append(" over ").append(s.shardGroup());
        }
        text.append(", micro-batch ").append(s.microBatch());
        if (s.recompute() != Strategy.Recompute.NONE) {
            text.append(", recompute ").append(KeyNames.constant(s.recompute()));
        }
        return text.toString();
    }

    Map<String, Double> headlines() {
        Map<String, Double> figures = new LinkedHashMap<>();
        figures.put("step_s", winner().step().step());
        figures.put("tokens_per_s", plan.tokensPerSecond(winner()));
        figures.put("mfu_causal_percent", plan.utilisation(winner(), FlopsDefinition.CAUSAL));
        figures.put("memory_gib", winner().memory().total() / (1L << 30));
        figures.put("strategies", (double) plan.result().visited());
        plan.days(winner()).ifPresent(days -> figures.put("days", days));
        plan.calibration().ifPresent(fit -> figures.put("efficiency_factor", fit.factor()));
        return figures;
    }

    private DataTable strategies() {
        DataTable table = new DataTable("Best strategies")
                .columns(
                        "#Rank",
                        "Strategy",
                        "Frameworks",
                        "#Closed form (s)",
                        "#Timeline (s)",
                        "#Simulated (s)",
                        "Ranked by",
                        "#MFU %",
                        "#Memory (GiB)",
                        "#Exposed comm. (s)",
                        "#Bubble (s)");
        int rank = 0;
        for (Finalist finalist :
                plan.finalists().subList(0, Math.min(SHOWN, plan.finalists().size()))) {
            Candidate candidate = finalist.candidate();
            StepEstimate e = candidate.step();
            table.row(
                    Integer.toString(++rank),
                    shape(candidate.strategy()),
                    frameworks(plan, candidate),
                    Numbers.significant(e.step(), 4),
                    Numbers.significant(finalist.step(), 4),
                    plan.isSimulated(finalist) ? Numbers.significant(plan.simulated(finalist), 4) : Numbers.NONE,
                    plan.isSimulated(finalist) ? "network" : "timeline",
                    Numbers.fixed(plan.utilisation(candidate, FlopsDefinition.CAUSAL), 1),
                    TrainingPlan.gib(candidate.memory().total()),
                    Numbers.significant(e.tensor() + e.context() + e.expert() + e.data(), 3),
                    Numbers.significant(e.bubble(), 3));
        }
        return table;
    }

    private DataTable utilisations() {
        DataTable table = new DataTable("Definitions of utilisation").columns("Counts", "#% of the dense peak");
        table.row(
                "matrix products and the causal half of attention",
                Numbers.fixed(plan.utilisation(winner(), FlopsDefinition.CAUSAL), 2));
        table.row(
                "matrix products and full attention",
                Numbers.fixed(plan.utilisation(winner(), FlopsDefinition.FULL), 2));
        table.row(
                "matrix products, full attention and recomputation",
                Numbers.fixed(plan.utilisation(winner(), FlopsDefinition.HARDWARE), 2));
        return table;
    }

    private DataTable parts() {
        StepEstimate e = winner().step();
        DataTable table = new DataTable("Step time by part").columns("Part", "#s", "#%");
        double[] seconds = {
            e.forward(),
            e.backward(),
            e.recomputation(),
            e.tensor(),
            e.context(),
            e.expert(),
            e.bubble(),
            e.data(),
            e.optimizer()
        };
        String[] names = {
            "forward",
            "backward",
            "recomputation",
            "tensor parallel, exposed",
            "context parallel, exposed",
            "experts, exposed",
            "bubble and uneven stages",
            "gradients and weights, exposed",
            "optimizer"
        };
        for (int i = 0; i < names.length; i++) {
            table.row(names[i], Numbers.significant(seconds[i], 4), Numbers.fixed(100 * seconds[i] / e.step(), 1));
        }
        return table;
    }

    private DataTable confirmations() {
        DataTable table = new DataTable("Closed form, timeline and simulation")
                .columns(
                        "Strategy",
                        "#Closed form (s)",
                        "#Timeline (s)",
                        "#Difference %",
                        "#Network (s)",
                        "#Difference %",
                        "#NPUs simulated");
        for (Finalist finalist : plan.finalists()) {
            Optional<NetworkConfirmation> network = plan.network(finalist);
            double step = finalist.candidate().step().step();
            table.row(
                    shape(finalist.candidate().strategy()),
                    Numbers.significant(step, 4),
                    Numbers.significant(finalist.step(), 4),
                    Numbers.signed(100 * (finalist.step() / step - 1), 2),
                    network.map(n -> Numbers.significant(n.step(), 4)).orElse(Numbers.NONE),
                    network.map(n -> Numbers.signed(100 * (n.step() / step - 1), 2))
                            .orElse(Numbers.NONE),
                    network.map(n -> Integer.toString(n.npus())).orElse(Numbers.NONE));
        }
        return table;
    }

    private DataTable collectives() {
        DataTable table = new DataTable("Collectives of a stage, each simulated alone")
                .columns(
                        "Part",
                        "#Members",
                        "#Stride",
                        "#MB",
                        "#Times",
                        "#Formula (ms)",
                        "#Network (ms)",
                        "#Difference %");
        return table.rows(
                plan.exchanges(),
                row -> List.of(
                        row.part(),
                        Integer.toString(row.members()),
                        Integer.toString(row.stride()),
                        Numbers.significant(row.bytes() / 1e6, 3),
                        Numbers.significant(row.times(), 4),
                        Numbers.significant(1e3 * row.formula(), 4),
                        Numbers.significant(1e3 * row.network(), 4),
                        Numbers.signed(100 * (row.network() / row.formula() - 1), 1)));
    }

    private DataTable changes() {
        DataTable table = new DataTable("Cost of each choice").columns("Change", "#Simulated step (s)", "#%");
        return table.rows(
                plan.changes(),
                change -> List.of(
                        change.what() + devices(change),
                        change.best()
                                .map(best -> Numbers.significant(best.step(), 4))
                                .orElse("not feasible"),
                        change.best()
                                .map(best -> Numbers.signed(plan.worse(best), 1))
                                .orElse(Numbers.NONE)));
    }

    /** Returns the number of devices of the alternative if the search compares clusters. */
    private String devices(TrainingPlan.Change change) {
        return plan.settings().search().devices().size() < 2
                ? ""
                : change.best()
                        .map(best -> " (" + best.candidate().strategy().devices() + " devices)")
                        .orElse("");
    }

    private String costs() {
        StringBuilder text = new StringBuilder();
        if (plan.price() > 0) {
            text.append("One million tokens cost ")
                    .append(Numbers.significant(plan.usdPerMillionTokens(winner()), 3))
                    .append(" USD at ")
                    .append(Numbers.significant(plan.price(), 3))
                    .append(" USD per device-hour. ");
        }
        if (plan.kwhPerStep(winner()) > 0) {
            text.append("A step uses ")
                    .append(Numbers.significant(plan.kwhPerStep(winner()), 3))
                    .append(" kWh at board power. ");
        }
        if (plan.settings().run().spreadPercent() > 0) {
            double slowest =
                    plan.request().machine().slowest(winner().strategy().devices());
            text.append("Every step waits for the slowest device, which makes it ")
                    .append(Numbers.fixed(100 * (slowest - 1), 1))
                    .append(" % longer. ");
        }
        text.append("Failures and checkpoints leave ")
                .append(Numbers.fixed(100 * plan.goodput(winner()), 1))
                .append(" % productive time");
        if (plan.settings().run().deviceMtbfH() > 0 && plan.settings().run().checkpointS() > 0) {
            text.append(", with a checkpoint every ")
                    .append(Numbers.fixed(plan.checkpointInterval(winner()) / 60, 0))
                    .append(" min");
        }
        plan.days(winner()).ifPresent(days -> text.append("; the training takes ")
                .append(Numbers.significant(days, 3))
                .append(" days"));
        return text.append('.').toString();
    }

    /** Explains the simulation and its differences from the closed form. */
    private String simulated() {
        Optional<StageCollectives> collectives = plan.collectives();
        if (collectives.isEmpty() || plan.exchanges().isEmpty()) {
            return "The winner has no network communication.";
        }
        return "Strategies are ranked by their timelines. The first ones and the best alternative to each choice are ranked by the network, before the others: every kind of collective of a stage is"
                + " simulated alone on all devices of the stage ("
                + collectives.get().dimensions().stream().map(String::valueOf).collect(Collectors.joining(" × "))
                + "), dimension by dimension, and the simulated time replaces the formula. Then the collective simulator runs"
                + " the tensor-parallel groups and the pipeline messages together. The result differs from the closed form if"
                + " transfers on near and far links do not overlap, if overlapped collectives share the network with exposed ones,"
                + " or if the closed form hides only a part of a collective.";
    }

    private String searched() {
        return Numbers.count(plan.result().visited()) + " strategies satisfy the rules, "
                + Numbers.count(plan.result().full()) + " of them do not fit in memory, and "
                + Numbers.count(plan.result().estimated()) + " were estimated; bounds exclude the remaining ones.";
    }

    private String assumed() {
        return "Assumptions: balanced experts, equal sequences, no stragglers. The memory reserve covers allocator slack,"
                + " collective buffers and the device context.";
    }

    /** Returns the conditions of the plan. */
    RunConditions conditions() {
        String engine = frameworks(plan, winner()) + ", efficiency of device generation "
                + generation(plan.settings().hardware())
                + (plan.calibration().isPresent() ? ", calibrated" : ", not calibrated");
        Strategy s = winner().strategy();
        return conditions(plan.settings(), engine, s.devices(), shape(s));
    }

    private static RunConditions conditions(TrainPlanSettings settings, String engine, int devices, String shape) {
        return new RunConditions(
                ConditionText.architecture(settings.model()),
                ConditionText.devices(devices, settings.hardware()),
                engine,
                shape,
                batch(settings) + " per step, products in " + KeyNames.constant(settings.precision()),
                "",
                "",
                Numbers.count(settings.model().maxPosition()) + " tokens (model)",
                List.of(),
                extrapolated(settings),
                unmodelled(settings.model()));
    }

    private static String batch(TrainPlanSettings settings) {
        return Numbers.count(settings.batch().global()) + " sequences of " + Numbers.count(settings.sequence())
                + " tokens";
    }

    /** Returns the effects that are not modelled, in general and for this model. */
    private static List<String> unmodelled(ModelCard model) {
        List<String> effects = new ArrayList<>(ModelFeature.unmodelled(model, Architecture.MODELLED));
        effects.addAll(List.of("imbalance of experts", "data loading and evaluation"));
        return effects;
    }

    static List<String> extrapolated(TrainPlanSettings settings) {
        int context = settings.model().maxPosition();
        return settings.sequence() <= context
                ? List.of()
                : List.of("sequences of " + Numbers.count(settings.sequence())
                        + " tokens beyond the model's context of " + Numbers.count(context));
    }

    Report report(RunConditions conditions) {
        PlanDrawings drawings = new PlanDrawings(plan);
        Report report = new Report("Training plan")
                .answer(answer())
                .prose(calibrationSummary())
                .prose(costs())
                .conditions(conditions)
                .style(PlanDrawings.MORE_COLOURS)
                .section("strategies", "Best strategies")
                .table(strategies())
                .section("parts", "Step time by part")
                .table(parts())
                .section("changes", "Cost of each choice")
                .table(changes())
                .detail("memory", "Memory of each rank")
                .drawing(drawings.memory())
                .detail("timeline", "Pipeline")
                .drawing(drawings.timeline());
        plan.calibration().ifPresent(fit -> report.section("calibration", "Measured steps")
                .table(calibration(fit)));
        report.section("confirmed", "Closed form, timeline and simulation").table(confirmations());
        if (!plan.exchanges().isEmpty()) {
            report.table(collectives());
        }
        return report.prose(simulated())
                .section("utilisation", "Utilisation")
                .table(utilisations())
                .section("search", "Search")
                .prose(searched())
                .prose(assumed())
                .footer("Stagesim · train_plan");
    }

    /** Drawings of memory by rank and of the pipeline. */
    private record PlanDrawings(TrainingPlan plan) {
        private static final int WIDTH = 900;
        private static final int LEFT = 60;
        private static final int ROW = 20;
        private static final int MAX_RANKS = 32;
        private static final int MAX_OPERATIONS = 400;
        private static final String[] COLOURS = {
            "var(--s1)", "var(--s2)", "var(--s3)", "var(--s4)", "var(--s5)", "var(--s6)"
        };
        static final String MORE_COLOURS = ":root { --s4: #7a3b8f; --s5: #8a6d00; --s6: #00707a; }"
                + " @media (prefers-color-scheme: dark) { :root { --s4: #cf9ae0; --s5: #e0c15a; --s6: #6fd0da; } }";
        private static final String[] PARTS = {
            "weights", "gradients", "optimizer", "activations", "current layer", "head"
        };

        private static void bar(Drawing out, double x, double y, double width, String colour, double share) {
            out.tint(x, y, Math.max(0.3, width), ROW - 4, "", colour, share);
        }

        private static Drawing begin(int rows, String title, String... kinds) {
            Drawing out = new Drawing(WIDTH, rows, title);
            for (int i = 0; i < kinds.length; i++) {
                int x = LEFT + i * 820 / Math.max(kinds.length, 5);
                bar(out, x, 2, 12, COLOURS[i], 1);
                out.text(x + 18, ROW - 6, "start", kinds[i]);
            }
            return out;
        }

        Markup memory() {
            List<MemoryModel.Rank> ranks = plan.ranks();
            int reported = Math.min(MAX_RANKS, ranks.size());
            double capacity = plan.request().machine().memory();
            double scale = (WIDTH - LEFT - 20) / capacity;
            String title = "Memory of each pipeline rank by part, against the device's memory";
            Drawing out = begin((reported + 2) * ROW + 10, title, PARTS);
            for (int rank = 0; rank < reported; rank++) {
                double y = (rank + 1.5) * ROW;
                out.text(4, y + 12, "start", "rank " + rank);
                MemoryModel.Rank m = ranks.get(rank);
                double[] parts = {m.weights(), m.gradients(), m.optimizer(), m.activations(), m.working(), m.head()};
                double x = LEFT;
                for (int i = 0; i < parts.length; i++) {
                    bar(out, x, y, parts[i] * scale, COLOURS[i], 1);
                    x += parts[i] * scale;
                }
                bar(out, x, y, LEFT + capacity * scale - x, "currentColor", 0.08);
            }
            return out.build()
                    .leaf(
                            "p",
                            "The bars end at the device's " + TrainingPlan.gib(capacity) + " GiB; the plan may use "
                                    + TrainingPlan.gib(plan.request().space().memory()) + " GiB."
                                    + (ranks.size() > reported
                                            ? " The first " + reported + " of " + ranks.size() + " ranks."
                                            : ""));
        }

        Markup timeline() {
            SimulatedPipeline confirmed = plan.pipeline();
            int reported = Math.min(MAX_RANKS, confirmed.order().ranks());
            double[][] ends = confirmed.timeline().end();
            int operations = Math.min(MAX_OPERATIONS, ends[0].length);
            double until = 0;
            for (int rank = 0; rank < reported; rank++) {
                until = Math.max(until, ends[rank][Math.min(operations, ends[rank].length) - 1]);
            }
            double scale = (WIDTH - LEFT - 20) / until;
            String title = "Operations of each pipeline rank over time";
            Drawing out = begin(
                    (reported + 2) * ROW, title, "forward", "input gradient", "weight gradient", "both gradients");
            for (int rank = 0; rank < reported; rank++) {
                double y = (rank + 1.5) * ROW;
                out.text(4, y + 12, "start", "rank " + rank);
                int[] ops = confirmed.order().ops()[rank];
                for (int i = 0; i < Math.min(operations, ops.length); i++) {
                    double start = confirmed.timeline().start()[rank][i];
                    bar(
                            out,
                            LEFT + start * scale,
                            y,
                            (ends[rank][i] - start) * scale - 0.4,
                            COLOURS[Op.kind(ops[i])],
                            Op.microBatch(ops[i]) % 2 == 0 ? 1 : 0.7);
                }
            }
            return out.build()
                    .leaf(
                            "p",
                            "The first " + operations + " operations of a rank, " + Numbers.significant(until, 3)
                                    + " s; the whole step is in timeline.json, which Perfetto opens.");
        }
    }
}
