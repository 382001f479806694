package dev.stagesim.feature.plan;

import dev.stagesim.contract.RunConditions;
import dev.stagesim.feature.plan.DeploymentCandidate.ConfirmedSize;
import dev.stagesim.feature.plan.DeploymentCandidate.SizeEstimate;
import dev.stagesim.feature.plan.DeploymentCandidate.Status;
import dev.stagesim.feature.plan.PublishedErrors.MetricErrors;
import dev.stagesim.feature.plan.SimulationCache.DeploymentResult;
import dev.stagesim.feature.plan.Slo.SloBound;
import dev.stagesim.model.Count;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.Report;
import dev.stagesim.report.Report.Tone;
import dev.stagesim.serving.EngineChoice;
import dev.stagesim.serving.EngineChoice.Shape;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** Report of a plan. */
record PlanReport(ServingPlan plan, RunConditions conditions, Map<String, String> files) {
    private static final int DIGITS = 3;
    private static final int MAX_ROWS = 15;

    Report report() {
        Optional<DeploymentCandidate> winner = plan.winner();
        Report report = new Report("Serving plan").footer("Stagesim · plan");
        String pools = new PoolReport(plan).sentence();
        if (winner.isEmpty()) {
            boolean isAny = plan.bestPools().isPresent();
            report.answer(isAny ? Tone.GOOD : Tone.BAD, isAny ? pools : capital(plan.nothing()) + ".");
            report.conditions(conditions);
        } else {
            Tone tone = plan.isThin() ? Tone.WARN : Tone.GOOD;
            report.answer(tone, plan.arePoolsCheaper() ? pools : answer(winner.get()));
            if (plan.arePoolsCheaper()) {
                report.prose("Without pools: " + answer(winner.get()));
            }
            report.prose(headroom(winner.get())).conditions(conditions);
            report.section("finalists", "Feasible deployments").table(finalists());
            report.section("command", "Command").command(files.getOrDefault(EngineFiles.COMMAND, ""));
            if (files.containsKey(EngineFiles.MANIFEST)) {
                report.prose("best/" + EngineFiles.MANIFEST + " runs all copies.");
            }
            report.section("choices", "Cost of each choice").table(choices());
            report.prose(
                    "Devices of the best deployment with each choice: simulated for finalists, otherwise by the closed form.");
            report.section("loads", "The winner at other loads").table(loads(winner.get()));
            report.charts(LoadChart.of(
                    plan.slo(),
                    plan.simulations()
                            .loads(winner.get().deployment(), winner.get().replicas())));
            report.section("confidence", "Confidence")
                    .prose(confidence(winner.get()))
                    .table(errors(winner.get()));
            slowdowns().ifPresent(report::table);
        }
        new PoolReport(plan).addTo(report);
        return report.section("rejected", "Rejected candidates")
                .table(rejected())
                .section("search", "Search")
                .prose(searched())
                .prose(assumed());
    }

    private static String capital(String text) {
        return Character.toUpperCase(text.charAt(0)) + text.substring(1);
    }

    private static String percent(double share) {
        return Numbers.fixed(100 * share, 0) + " %";
    }

    static String copies(int count, String of) {
        return count + (count == 1 ? " copy of " : " copies of ") + of;
    }

    private String answer(DeploymentCandidate winner) {
        DeploymentResult result = winner.confirmed().orElseThrow().result();
        List<String> measured = plan.slo().bounds().stream()
                .map(bound -> Slo.measured(bound, result.metrics()))
                .toList();
        return winner.devices() + " × " + plan.settings().hardware().name() + money(winner) + ": "
                + copies(winner.replicas(), winner.deployment().shape().kind().words()) + " with "
                + winner.deployment().shape().words()
                + (winner.replicas() == 1 ? " serves " : " serve ")
                + plan.settings().model().name() + " at "
                + Numbers.plain(plan.settings().load()) + " requests/s with "
                + String.join(" and ", measured) + ".";
    }

    private String money(DeploymentCandidate winner) {
        return plan.usdPerMonth(winner.devices())
                .map(usd -> " for " + Numbers.count(Math.round(usd)) + " USD per month, "
                        + Numbers.significant(
                                plan.usdPerMtok(
                                                winner.devices(),
                                                plan.settings().load())
                                        .orElseThrow(),
                                DIGITS)
                        + " USD per million output tokens")
                .orElse("");
    }

    /** Describes the margin of the worst seed, the maximum load, and the first violation above it. */
    private String headroom(DeploymentCandidate winner) {
        ConfirmedSize confirmed = winner.confirmed().orElseThrow();
        double load = plan.settings().load();
        StringBuilder text = new StringBuilder("Headroom: ")
                .append(percent(confirmed.headroom(load)))
                .append(confirmed.isOpen() ? " or more in load (at least " : " in load (up to ")
                .append(Numbers.significant(confirmed.maxLoad(), DIGITS))
                .append(" requests/s) and ")
                .append(percent(plan.slo().margin(confirmed.result().metrics())))
                .append(" in the SLO, for the worst of ")
                .append(Count.of(plan.requests().seeds(), "seed"))
                .append('.');
        if (confirmed.seedsWithOneLess() > 0) {
            text.append(" One copy fewer meets the SLO with only ")
                    .append(confirmed.seedsWithOneLess())
                    .append(" of ")
                    .append(plan.requests().seeds())
                    .append(" seeds.");
        }
        plan.simulations().loads(winner.deployment(), winner.replicas()).stream()
                .filter(result -> result.load() > confirmed.maxLoad())
                .findFirst()
                .ifPresent(first -> text.append(" Above that load, ")
                        .append(violated(first))
                        .append("; a step is limited by ")
                        .append(resource(winner, confirmed.maxLoad()))
                        .append(waits(first))
                        .append('.'));
        return text.toString();
    }

    private String violated(DeploymentResult result) {
        if (!result.keepsUp()) {
            return "requests pile up";
        }
        List<String> names = plan.slo().violated(result.metrics()).stream()
                .map(SloBound::label)
                .toList();
        return String.join(" and ", names) + (names.size() == 1 ? " is" : " are") + " too high";
    }

    private String resource(DeploymentCandidate winner, double load) {
        SteadyStateModel steady =
                new SteadyStateModel(winner.replica().orElseThrow(), plan.requests(), winner.deployment());
        double rate = load / winner.replicas();
        Optional<SteadyStateModel.State> state =
                steady.at(rate).or(() -> winner.estimate().map(SizeEstimate::state));
        return steady.limit(state.orElseThrow(), rate);
    }

    private static String waits(DeploymentResult result) {
        return switch (result.waitsFor()) {
            case KV_BLOCKS -> "; requests wait for KV cache";
            case BATCH_CAP -> "; max_num_seqs keeps requests waiting";
            default -> "";
        };
    }

    private Optional<MetricErrors> errors(DeploymentCandidate candidate, String kind) {
        return plan.errors()
                .of(
                        candidate.deployment().shape(),
                        plan.settings().model(),
                        plan.settings().hardware(),
                        kind);
    }

    private String confidence(DeploymentCandidate winner) {
        StringBuilder text = new StringBuilder("The plan is not calibrated. ");
        errors(winner, "tpot")
                .ifPresentOrElse(
                        known -> text.append("For ")
                                .append(Numbers.count(known.rows()))
                                .append(" published measurements (")
                                .append(known.where())
                                .append(") the predicted TPOT was within ")
                                .append(percent(known.median()))
                                .append(" in half of the cases and within ")
                                .append(percent(known.p90()))
                                .append(" in nine of ten (specs/fidelity.md). "),
                        () -> text.append(
                                "No published measurements exist for this kind of model and deployment on this device and engine. "));
        for (ServingPlan.Slowdown slowdown : plan.slowdowns()) {
            text.append("If steps take ")
                    .append(percent(slowdown.factor() - 1))
                    .append(" longer, ")
                    .append(
                            slowdown.replicas() == 0
                                    ? "this deployment misses the SLO even with four times the copies. "
                                    : slowdown.replicas() == winner.replicas()
                                            ? "the same copies suffice. "
                                            : slowdown.replicas() + " copies are required" + usd(slowdown, winner)
                                                    + ". ");
        }
        return text.toString().strip();
    }

    private String usd(ServingPlan.Slowdown slowdown, DeploymentCandidate winner) {
        return plan.usdPerMonth(
                        slowdown.replicas() * winner.deployment().shape().devices())
                .map(usd -> ", " + Numbers.count(Math.round(usd)) + " USD per month")
                .orElse("");
    }

    private DataTable finalists() {
        DataTable table = new DataTable("Simulated with "
                        + Numbers.count(plan.requests().size()) + " requests with "
                        + Count.of(plan.requests().seeds(), "seed") + "; worst seed of each metric; cheapest first")
                .columns("#USD/month", "Engine", "Shape", "#Copies", "#Devices", "max_num_seqs / tokens");
        plan.slo().bounds().forEach(bound -> table.number(bound.label() + " (ms)"));
        table.number("Headroom in load (%)").number("Headroom in SLO (%)").text("Pareto");
        for (DeploymentCandidate c : plan.finalists()) {
            ConfirmedSize confirmed = c.confirmed().orElseThrow();
            List<String> row = new ArrayList<>(List.of(
                    month(c.devices()),
                    c.deployment().shape().kind().words(),
                    c.deployment().shape().words(),
                    Integer.toString(c.replicas()),
                    Integer.toString(c.devices()),
                    c.deployment().maxNumSeqs() + " / " + c.deployment().maxNumBatchedTokens()));
            plan.slo()
                    .bounds()
                    .forEach(bound ->
                            row.add(Numbers.significant(confirmed.result().value(bound), DIGITS)));
            row.add(confirmed.maxLoad() > 0 ? headroomText(confirmed) : Numbers.NONE);
            row.add(Numbers.fixed(100 * plan.slo().margin(confirmed.result().metrics()), 0));
            row.add(plan.isPareto(c) ? "yes" : "no");
            table.row(row.toArray(new String[0]));
        }
        return table;
    }

    private String headroomText(ConfirmedSize confirmed) {
        double percent = 100 * confirmed.headroom(plan.settings().load());
        return (confirmed.isOpen() ? "≥ " : "") + Numbers.fixed(percent, 0);
    }

    private String month(int devices) {
        return plan.usdPerMonth(devices)
                .map(usd -> Numbers.count(Math.round(usd)))
                .orElse(Numbers.NONE);
    }

    private DataTable choices() {
        DataTable table =
                new DataTable("Best deployment with each choice").columns("Choice", "#Devices", "#USD/month", "Source");
        Map<String, Function<EngineChoice, String>> axes = new LinkedHashMap<>();
        axes.put("engine", d -> d.shape().kind().words());
        axes.put("tensor parallelism", d -> Integer.toString(d.shape().tp()));
        axes.put("pipeline parallelism", d -> Integer.toString(d.shape().pp()));
        axes.put("weights", d -> EngineChoice.name(d.shape().weights()));
        axes.put("KV cache", d -> EngineChoice.name(d.shape().kv()));
        axes.put("max_num_seqs", d -> Integer.toString(d.maxNumSeqs()));
        axes.put("max_num_batched_tokens", d -> Integer.toString(d.maxNumBatchedTokens()));
        axes.forEach((axis, value) -> {
            Map<String, DeploymentCandidate> best = new LinkedHashMap<>();
            plan.ranked().stream()
                    .filter(PlanReport::mayRun)
                    .forEach(c -> best.merge(value.apply(c.deployment()), c, PlanReport::better));
            if (best.size() > 1) {
                best.entrySet().stream()
                        .sorted(Comparator.comparingInt(e -> e.getValue().devices()))
                        .forEach(e -> table.row(
                                axis + " " + e.getKey(),
                                Integer.toString(e.getValue().devices()),
                                month(e.getValue().devices()),
                                e.getValue().isFeasible() ? "simulated" : "closed form"));
            }
        });
        return table;
    }

    private static boolean mayRun(DeploymentCandidate c) {
        return c.isFeasible()
                || (c.confirmed().isEmpty()
                        && c.estimate().map(SizeEstimate::meetsSlo).orElse(false));
    }

    private static DeploymentCandidate better(DeploymentCandidate first, DeploymentCandidate second) {
        return second.devices() < first.devices() && !first.isFeasible() ? second : first;
    }

    private DataTable loads(DeploymentCandidate winner) {
        DataTable table = new DataTable("Simulated").number("Load (requests/s)");
        plan.slo().bounds().forEach(bound -> table.number(bound.label() + " (ms)"));
        table.text("Verdict");
        for (DeploymentResult result : plan.simulations().loads(winner.deployment(), winner.replicas())) {
            List<String> row = new ArrayList<>(List.of(Numbers.significant(result.load(), DIGITS)));
            row.addAll(result.cells(plan.slo()));
            table.row(row.toArray(new String[0]));
        }
        return table;
    }

    private DataTable errors(DeploymentCandidate winner) {
        DataTable table = new DataTable("Range with nine of ten published measurements")
                .columns("Metric", "#Predicted (ms)", "#From (ms)", "#To (ms)", "#Limit (ms)", "Measured on");
        DeploymentResult result = winner.confirmed().orElseThrow().result();
        for (SloBound bound : plan.slo().bounds()) {
            double value = result.value(bound);
            Optional<MetricErrors> known = errors(winner, bound.kind());
            double high = known.map(e -> e.high(value)).orElse(Double.POSITIVE_INFINITY);
            table.row(
                    bound.label(),
                    Numbers.significant(value, DIGITS),
                    known.map(e -> Numbers.significant(e.low(value), DIGITS)).orElse(Numbers.NONE),
                    Double.isFinite(high) ? Numbers.significant(high, DIGITS) : Numbers.NONE,
                    Numbers.plain(bound.limit()),
                    known.map(e -> e.where() + ", " + Numbers.count(e.rows()) + " rows")
                            .orElse("no published measurement"));
        }
        return table;
    }

    private Optional<DataTable> slowdowns() {
        if (plan.slowdowns().isEmpty()) {
            return Optional.empty();
        }
        DeploymentCandidate winner = plan.winner().orElseThrow();
        DataTable table = new DataTable("Copies when steps take longer than predicted")
                .columns("Step time increase", "Source", "#Copies", "#USD/month");
        for (ServingPlan.Slowdown slowdown : plan.slowdowns()) {
            boolean meetsSlo = slowdown.replicas() > 0;
            table.row(
                    percent(slowdown.factor() - 1),
                    "TPOT: " + slowdown.when() + " this error",
                    meetsSlo ? Integer.toString(slowdown.replicas()) : Numbers.NONE,
                    meetsSlo
                            ? month(slowdown.replicas()
                                    * winner.deployment().shape().devices())
                            : Numbers.NONE);
        }
        return Optional.of(table);
    }

    private DataTable rejected() {
        DataTable table = new DataTable("All rejected shapes are in plan_candidates.csv")
                .columns("Shape", "Engines", "#Devices", "Status", "Reason");
        Set<Shape> known = new HashSet<>();
        plan.finalists().forEach(c -> known.add(c.deployment().shape()));
        Map<List<String>, Set<String>> engines = new LinkedHashMap<>();
        plan.ranked().stream()
                .filter(c -> !c.isFeasible() && known.add(c.deployment().shape()))
                .sorted(Comparator.comparing(
                        c -> c.status() == Status.OUT_OF_MEMORY || c.status() == Status.UNSUPPORTED))
                .forEach(c -> engines.computeIfAbsent(
                                List.of(
                                        c.deployment().shape().words(),
                                        c.devices() > 0 ? Integer.toString(c.devices()) : Numbers.NONE,
                                        c.status().id(),
                                        c.reason()),
                                row -> new LinkedHashSet<>())
                        .add(c.deployment().shape().kind().words()));
        engines.entrySet().stream()
                .limit(MAX_ROWS)
                .forEach(e -> table.row(
                        e.getKey().get(0),
                        String.join(", ", e.getValue()),
                        e.getKey().get(1),
                        e.getKey().get(2),
                        e.getKey().get(3)));
        return table;
    }

    /** Counts the deployments that each bound excluded and the simulated ones. */
    private String searched() {
        Map<String, Integer> counts = new LinkedHashMap<>();
        for (String rule : List.of(
                "unsupported", "too large for the memory", "a lower bound on latency", "a lower bound on throughput")) {
            counts.put(rule, 0);
        }
        int left = 0;
        int open = 0;
        int simulated = 0;
        int best = plan.winner().map(DeploymentCandidate::devices).orElse(Integer.MAX_VALUE);
        for (DeploymentCandidate c : plan.ranked()) {
            simulated += c.confirmed().isPresent() ? 1 : 0;
            if (c.status() == Status.NOT_SIMULATED) {
                left++;
                open += c.minDevices() < best ? 1 : 0;
            } else if (c.confirmed().isEmpty()) {
                counts.merge(rule(c.status()), 1, Integer::sum);
            }
        }
        List<String> excluded = new ArrayList<>();
        counts.forEach((rule, count) -> excluded.add(count + " by " + rule));
        return Numbers.count(plan.candidateCount()) + " candidates. Excluded: "
                + String.join(", ", excluded)
                        .replace("by unsupported", "unsupported")
                        .replace("by too large", "too large")
                + ". Simulated: " + simulated + " candidates in "
                + plan.simulations().seedRuns() + " simulations ("
                + plan.simulations().count() + " copies and loads, up to "
                + Count.of(plan.requests().seeds(), "seed")
                + " each). Left out because the closed form ranks others higher: " + left + "; no bound shows that "
                + open + " of them are more expensive (search.simulations, search.finalists).";
    }

    private static String rule(Status status) {
        return switch (status) {
            case UNSUPPORTED -> "unsupported";
            case OUT_OF_MEMORY -> "too large for the memory";
            case SLO_MISSED -> "a lower bound on latency";
            default -> "a lower bound on throughput";
        };
    }

    private String assumed() {
        return "Assumptions: a round-robin router"
                + (plan.settings().search().hasPools() ? ", except in plan_pools.csv" : "")
                + "; batches of TensorRT-LLM follow the rules of vLLM V1, with TensorRT-LLM's step times; no speculative"
                + " decoding, no expert parallelism"
                + (plan.settings().search().pooling().pools()
                        ? ""
                        : ", no prefill/decode disaggregation (search.pools)")
                + "; pipelines were not compared with measurements. Prices are rental prices of devices"
                + priceNote() + ". Lower precision changes the output of the model: check its quality.";
    }

    private String priceNote() {
        HardwareCard card = plan.settings().hardware();
        if (plan.price().isEmpty()) {
            return ", which are unknown";
        }
        String at = " at " + Numbers.plain(plan.price().get()) + " USD/h";
        if (plan.settings().priceUsdHr().isPresent()) {
            return at;
        }
        String range = card.costs()
                .priceUsdHrLow()
                .flatMap(low -> card.costs()
                        .priceUsdHrHigh()
                        .map(high -> " of " + Numbers.plain(low) + " to " + Numbers.plain(high)))
                .orElse("");
        return at + ", the typical price" + range + " on the hardware card ("
                + card.costs().priceBasis().orElse("no source") + ")";
    }
}
