package dev.stagesim.feature.plan;

import dev.stagesim.contract.RunConditions;
import dev.stagesim.feature.plan.DeploymentCandidate.ConfirmedSize;
import dev.stagesim.feature.plan.DeploymentCandidate.SizeEstimate;
import dev.stagesim.feature.plan.DeploymentCandidate.Status;
import dev.stagesim.feature.plan.SimulationCache.DeploymentResult;
import dev.stagesim.feature.plan.Slo.SloBound;
import dev.stagesim.model.Count;
import dev.stagesim.model.card.Precision;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.Report;
import dev.stagesim.serving.EngineChoice;
import dev.stagesim.serving.EngineChoice.Shape;
import dev.stagesim.serving.ReplicaModel;
import dev.stagesim.serving.evidence.PublishedErrors.MetricErrors;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Report of a plan. */
record PlanReport(ServingPlan plan, PlanAnswer answer, RunConditions conditions, Map<String, String> files) {
    private static final int DIGITS = 3;
    private static final int MAX_ROWS = 15;

    Report report() {
        Report report = new Report("Serving plan").footer("Stagesim · plan");
        report.answer(answer.tone(), answer.sentence()).prose(answer.headroom()).prose(answer.alternative());
        report.conditions(conditions);
        ParetoChart.of(plan).ifPresent(chart -> report.detail("pareto", "Throughput per device and per user")
                .charts(chart)
                .faint("Each point is a simulated deployment at a load that meets the SLO. The front joins the points"
                        + " that no other point exceeds on both axes."));
        addPools(report);
        String other = plan.arePoolsCheaper() ? " " + plan.alternative().replace('_', ' ') : "";
        if (plan.winner().isPresent()) {
            report.section("finalists", "Feasible deployments" + other).table(finalists());
        }
        report.section("rejected", "Rejected candidates" + other)
                .table(reasons())
                .table(rejected());
        plan.answer().ifPresent(best -> details(report, best));
        if (plan.isCheapest() && plan.winner().isPresent()) {
            report.section("choices", "Cost of each choice" + other)
                    .table(choices())
                    .prose(
                            "Devices of the best deployment with each choice: simulated for finalists, otherwise by the closed form.");
        }
        return report.section("search", "Search").prose(searched()).prose(assumed());
    }

    private void details(Report report, Recommendation best) {
        report.section("command", "Command");
        files.forEach((name, text) -> {
            if (name.endsWith(".sh")) {
                report.command(text);
            }
        });
        for (Recommendation.Part part : best.parts()) {
            report.command(plan.simulation(best, part));
        }
        report.faint((best.parts().size() == 1
                        ? "The command simulates the copies with their load. "
                        : "The commands simulate an engine of each pool. ")
                + "With every engine, a copy has tp × pp × dp devices, and ep is 1 or that number.");
        report.prose("Files in best/: " + String.join(", ", files.keySet()) + ".");
        report.section("loads", "The answer at other loads").table(loads(best));
        report.charts(LoadChart.of(plan.settings().unit(), plan.slo(), best.loads()));
        report.section("confidence", "Confidence").prose(answer.range()).table(errors(best));
        if (!plan.arePoolsCheaper()) {
            slowdowns().ifPresent(report::table);
        }
    }

    private void addPools(Report report) {
        if (plan.poolConfigurations().isEmpty()) {
            return;
        }
        DataTable table = new DataTable(
                        "The smallest feasible configuration of each kind, cheapest first, or the last one tried")
                .columns("#USD/month", "Pools and router", "#Devices");
        plan.slo().shown().bounds().forEach(bound -> table.number(bound.label() + " (ms)"));
        table.text("Verdict").text("Pareto");
        for (PoolConfiguration configuration : plan.poolConfigurations()) {
            List<String> row = new ArrayList<>(List.of(
                    month(plan.usdPerMonth(configuration)),
                    configuration.words(),
                    Integer.toString(configuration.devices())));
            row.addAll(configuration.result().cells(plan.slo().shown()));
            row.add(plan.isPareto(configuration) ? "yes" : "no");
            table.row(row.toArray(new String[0]));
        }
        report.section("pools", "Pools and routers")
                .table(table)
                .faint(
                        "Pareto: no other feasible configuration, copies with a round-robin router included, is at least as good in price, P99"
                                + " TTFT and P99 TPOT, and better in one.");
    }

    private DataTable finalists() {
        DataTable table = new DataTable("Simulated with "
                        + Numbers.count(plan.requests().size()) + " requests with "
                        + Count.of(plan.requests().seeds(), "seed") + "; worst seed of each metric; best first")
                .columns("#USD/month", "Engine", "Shape", "#Copies", "#Devices", "max_num_seqs / tokens")
                .number(PlanAnswer.capital(plan.settings().unit()));
        plan.slo().shown().bounds().forEach(bound -> table.number(bound.label() + " (ms)"));
        table.number("Tokens/s per user").number("Tokens/s per device");
        table.number("Headroom in load (%)").number("Headroom in SLO (%)").text("Pareto");
        for (DeploymentCandidate c : plan.finalists().stream().limit(MAX_ROWS).toList()) {
            ConfirmedSize confirmed = c.confirmed().orElseThrow();
            List<String> row = new ArrayList<>(List.of(
                    month(c.devices()),
                    c.deployment().shape().kind().words(),
                    c.deployment().shape().words(),
                    Integer.toString(c.replicas()),
                    Integer.toString(c.devices()),
                    c.deployment().maxNumSeqs() + " / " + c.deployment().maxNumBatchedTokens(),
                    Numbers.significant(confirmed.result().load(), DIGITS)));
            plan.slo()
                    .shown()
                    .bounds()
                    .forEach(bound ->
                            row.add(Numbers.significant(confirmed.result().value(bound), DIGITS)));
            row.add(Numbers.significant(confirmed.result().tokensPerUser(), DIGITS));
            row.add(Numbers.significant(plan.tokensPerDevice(plan.rate(confirmed.result()), c.devices()), DIGITS));
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
        return month(plan.usdPerMonth(devices));
    }

    private static String month(Optional<Double> usd) {
        return usd.map(value -> Numbers.count(Math.round(value))).orElse(Numbers.NONE);
    }

    private DataTable choices() {
        DataTable table =
                new DataTable("Best deployment with each choice").columns("Choice", "#Devices", "#USD/month", "Source");
        Map<String, Function<EngineChoice, String>> axes = new LinkedHashMap<>();
        axes.put("engine", d -> d.shape().kind().words());
        axes.put("tensor parallelism", d -> Integer.toString(d.shape().tp()));
        axes.put("pipeline parallelism", d -> Integer.toString(d.shape().pp()));
        axes.put(
                "engines that share experts",
                d -> Integer.toString(d.shape().layout().dp()));
        axes.put("expert parallelism", d -> d.shape().layout().isExpertParallel() ? "on" : "off");
        axes.put("prefill interval", d -> Integer.toString(d.shape().layout().prefillInterval()));
        axes.put("draft tokens", d -> Integer.toString(d.shape().drafting().tokens()));
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

    private DataTable loads(Recommendation best) {
        DataTable table =
                new DataTable("Simulated").number("Load (" + plan.settings().unit() + ")");
        plan.slo().shown().bounds().forEach(bound -> table.number(bound.label() + " (ms)"));
        table.text("Verdict");
        for (DeploymentResult result : best.loads()) {
            List<String> row = new ArrayList<>(List.of(Numbers.significant(result.load(), DIGITS)));
            row.addAll(result.cells(plan.slo().shown()));
            table.row(row.toArray(new String[0]));
        }
        return table;
    }

    private DataTable errors(Recommendation best) {
        DataTable table = new DataTable("Range with nine of ten published measurements")
                .columns("Metric", "#Predicted (ms)", "#From (ms)", "#To (ms)", "#Limit (ms)", "Measured on");
        for (SloBound bound : plan.slo().bounds()) {
            double value = best.result().value(bound);
            Optional<MetricErrors> known =
                    best.pools().isPresent() ? Optional.empty() : plan.errors(best.shape(), bound.kind());
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
                .columns("Prediction too low by", "Step time increase", "Source", "#Copies", "#USD/month");
        for (ServingPlan.Slowdown slowdown : plan.slowdowns()) {
            boolean meetsSlo = slowdown.replicas() > 0;
            table.row(
                    PlanAnswer.percent(1 - 1 / slowdown.factor()),
                    PlanAnswer.percent(slowdown.factor() - 1),
                    "TPOT: " + slowdown.when() + " this error",
                    meetsSlo ? Integer.toString(slowdown.replicas()) : Numbers.NONE,
                    meetsSlo
                            ? month(slowdown.replicas()
                                    * winner.deployment().shape().devices())
                            : Numbers.NONE);
        }
        return Optional.of(table);
    }

    /** Counts the rejected candidates by reason. */
    private DataTable reasons() {
        DataTable table = new DataTable("By reason").columns("Reason", "#Candidates", "Example");
        Map<Status, List<DeploymentCandidate>> groups = plan.ranked().stream()
                .filter(c -> !c.isFeasible())
                .collect(Collectors.groupingBy(
                        DeploymentCandidate::status, () -> new EnumMap<>(Status.class), Collectors.toList()));
        groups.forEach((status, all) -> table.row(
                status.words(),
                Numbers.count(all.size()),
                all.get(0).deployment().shape().kind().words() + ", "
                        + all.get(0).deployment().shape().words() + ": "
                        + all.get(0).reason()));
        return table;
    }

    private DataTable rejected() {
        DataTable table = new DataTable("By shape; plan_candidates.csv has all shapes")
                .columns("Shape", "Engines", "#Devices", "Status", "Reason");
        Set<Shape> known = new HashSet<>();
        plan.finalists().forEach(c -> known.add(c.deployment().shape()));
        Map<List<String>, Set<String>> engines = new LinkedHashMap<>();
        plan.ranked().stream()
                .filter(c -> !c.isFeasible() && known.add(c.deployment().shape()))
                .sorted(Comparator.comparing(DeploymentCandidate::status))
                .forEach(c -> engines.computeIfAbsent(
                                List.of(
                                        c.deployment().shape().words(),
                                        c.devices() > 0 ? Integer.toString(c.devices()) : Numbers.NONE,
                                        c.status().words(),
                                        c.reason()),
                                row -> new LinkedHashSet<>())
                        .add(c.deployment().shape().kind().words()));
        engines.entrySet().stream().limit(MAX_ROWS).forEach(e -> {
            List<String> row = e.getKey();
            table.row(row.get(0), String.join(", ", e.getValue()), row.get(1), row.get(2), row.get(3));
        });
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
                + " each). Left out because the closed form ranks others higher: " + Numbers.count(left)
                + ". The lower bounds of " + Numbers.count(open)
                + " of these allow fewer devices than the answer (search.simulations, search.finalists).";
    }

    private static String rule(Status status) {
        return switch (status) {
            case UNSUPPORTED -> "unsupported";
            case OUT_OF_MEMORY -> "too large for the memory";
            case SLO_MISSED -> "a lower bound on latency";
            default -> "a lower bound on throughput";
        };
    }

    /** Describes the acceptance of the drafts of the best deployment. */
    private String drafts() {
        boolean isSearched = plan.ranked().stream()
                .anyMatch(c -> c.deployment().shape().drafting().tokens() > 0);
        return plan.answer()
                .map(Recommendation::replica)
                .flatMap(ReplicaModel::drafts)
                .map(drafts -> "; " + drafts)
                .orElse(isSearched ? "" : "; no speculative decoding (search.draft_tokens)");
    }

    private String assumed() {
        return "Assumptions: a round-robin router"
                + (plan.settings().search().hasPools()
                        ? ", except for pools and for the routers of plan_pools.csv"
                        : "")
                + "; batches of TensorRT-LLM follow the rules of vLLM V1, with TensorRT-LLM's step times"
                + drafts()
                + (plan.settings().search().pooling().pools()
                        ? ""
                        : ", no prefill/decode disaggregation (search.pools)")
                + fourBits()
                + "; pipelines were not compared with measurements. Prices are rental prices of devices"
                + priceNote() + ". Lower precision changes the output of the model: check its quality.";
    }

    private String fourBits() {
        boolean isTried =
                plan.ranked().stream().anyMatch(c -> c.deployment().shape().weights() == Precision.NVFP4);
        return isTried || plan.settings().hardware().productRate(Precision.NVFP4) != Precision.Rate.BITS4
                ? ""
                : ", no NVFP4 weights (search.weights=[fp8,nvfp4])";
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
