package dev.stagesim.feature.plan;

import dev.stagesim.feature.Deployment;
import dev.stagesim.feature.Deployment.Shape;
import dev.stagesim.feature.plan.Candidate.Confirmed;
import dev.stagesim.feature.plan.Candidate.Estimate;
import dev.stagesim.feature.plan.Candidate.Fate;
import dev.stagesim.feature.plan.PublishedErrors.Errors;
import dev.stagesim.feature.plan.Slo.Bound;
import dev.stagesim.feature.plan.Trials.Trial;
import dev.stagesim.model.HardwareCard;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.Report;
import dev.stagesim.report.Report.Tone;
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

/** A plan in words and tables. */
record PlanReport(Plan plan, Map<String, String> files) {
    private static final int DIGITS = 3;
    private static final int SHOWN = 15;

    Report report() {
        Optional<Candidate> winner = plan.winner();
        Report report = new Report("Serving plan").footer("Stagesim · plan");
        boolean isAny = winner.isPresent() || plan.bestPools().isPresent();
        String pools = new PoolReport(plan).sentence();
        if (winner.isEmpty()) {
            report.answer(isAny ? Tone.GOOD : Tone.BAD, capital(plan.nothing()) + "." + pools);
        } else {
            report.answer(Tone.GOOD, answer(winner.get()) + pools);
            report.prose(limits(winner.get())).prose(sure(winner.get()));
            report.section("finalists", "Deployments that hold").table(finalists());
            report.section("command", "Command").command(files.getOrDefault(EngineFiles.COMMAND, ""));
            if (files.containsKey(EngineFiles.MANIFEST)) {
                report.prose("best/" + EngineFiles.MANIFEST + " runs all copies.");
            }
            report.section("choices", "What each choice costs").table(choices());
            report.prose("Devices of the best deployment with that choice: simulated where it was among the finalists,"
                    + " else by the closed form.");
            report.section("loads", "The winner at other loads").table(loads(winner.get()));
            report.charts(LoadChart.of(
                    plan.slo(),
                    plan.trials().loads(winner.get().deployment(), winner.get().replicas())));
            report.section("sure", "How sure").table(errors(winner.get()));
            slow().ifPresent(report::table);
        }
        new PoolReport(plan).addTo(report);
        return report.section("lost", "Why others lost")
                .table(lost())
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

    private static String copies(int count, String of) {
        return count + (count == 1 ? " copy of " : " copies of ") + of;
    }

    private String answer(Candidate winner) {
        Confirmed confirmed = winner.confirmed().orElseThrow();
        Trial trial = confirmed.trial();
        List<String> measured = plan.slo().bounds().stream()
                .map(bound -> Slo.measured(bound, trial.figures()))
                .toList();
        return plan.settings().model().name() + " at "
                + Numbers.plain(plan.settings().load()) + " requests/s: "
                + copies(winner.replicas(), winner.deployment().shape().kind().words()) + " with "
                + winner.deployment().shape().words() + " on " + winner.devices() + " × "
                + plan.settings().hardware().name() + (winner.replicas() == 1 ? " holds " : " hold ")
                + String.join(" and ", measured)
                + money(winner) + (winner.replicas() == 1 ? "; it carries up to " : "; they carry up to ")
                + Numbers.significant(confirmed.maxLoad(), DIGITS)
                + " requests/s.";
    }

    private String money(Candidate winner) {
        return plan.usdPerMonth(winner.devices())
                .map(usd -> " for " + Numbers.count(Math.round(usd)) + " USD a month, "
                        + Numbers.significant(
                                plan.usdPerMtok(
                                                winner.devices(),
                                                plan.settings().load())
                                        .orElseThrow(),
                                DIGITS)
                        + " USD a million output tokens")
                .orElse("");
    }

    private String limits(Candidate winner) {
        Confirmed confirmed = winner.confirmed().orElseThrow();
        List<Trial> beyond = plan.trials().loads(winner.deployment(), winner.replicas()).stream()
                .filter(trial -> trial.load() > confirmed.maxLoad())
                .toList();
        double headroom = 100 * (confirmed.maxLoad() / plan.settings().load() - 1);
        StringBuilder text = new StringBuilder("Headroom " + Numbers.fixed(headroom, 0) + " %: ");
        if (beyond.isEmpty()) {
            return text + "no limit was met up to there.";
        }
        Trial first = beyond.get(0);
        String what = first.keepsUp()
                ? String.join(
                                " and ",
                                plan.slo().broken(first.figures()).stream()
                                        .map(Bound::words)
                                        .toList())
                        + " is missed"
                : "requests pile up";
        text.append("beyond that ")
                .append(what)
                .append("; a step is limited by ")
                .append(resource(winner, confirmed.maxLoad()));
        return text.append(waits(first)).append('.').toString();
    }

    private String resource(Candidate winner, double load) {
        Steady steady = new Steady(winner.replica().orElseThrow(), plan.requests(), winner.deployment());
        double rate = load / winner.replicas();
        Optional<Steady.State> state =
                steady.at(rate).or(() -> winner.estimate().map(Estimate::state));
        return steady.limit(state.orElseThrow(), rate);
    }

    private static String waits(Trial trial) {
        return switch (trial.waitsFor()) {
            case KV_BLOCKS -> "; requests wait for KV cache";
            case BATCH_CAP -> "; requests wait for a place among max_num_seqs";
            default -> "";
        };
    }

    private Optional<Errors> errors(Candidate candidate, String kind) {
        return plan.errors()
                .of(
                        candidate.deployment().shape().engine(),
                        plan.settings().hardware().name(),
                        kind);
    }

    private String sure(Candidate winner) {
        StringBuilder text = new StringBuilder("How sure: nothing here was calibrated. ");
        errors(winner, "tpot")
                .ifPresentOrElse(
                        known -> text.append("Token times of ")
                                .append(Numbers.count(known.rows()))
                                .append(" published measurements (")
                                .append(known.where())
                                .append(") were predicted within ")
                                .append(percent(known.median()))
                                .append(" in half of the cases and within ")
                                .append(percent(known.most()))
                                .append(" in nine of ten (specs/fidelity.md). "),
                        () -> text.append("No published measurement tells how far token times are off. "));
        for (Plan.Slow slow : plan.slow()) {
            text.append("If steps take ")
                    .append(percent(slow.slower() - 1))
                    .append(" longer, ")
                    .append(
                            slow.replicas() == 0
                                    ? "this deployment does not hold with four times the copies. "
                                    : slow.replicas() == winner.replicas()
                                            ? "the same copies hold. "
                                            : slow.replicas() + " copies are needed" + usd(slow, winner) + ". ");
        }
        return text.toString().strip();
    }

    private String usd(Plan.Slow slow, Candidate winner) {
        return plan.usdPerMonth(slow.replicas() * winner.deployment().shape().devices())
                .map(usd -> ", " + Numbers.count(Math.round(usd)) + " USD a month")
                .orElse("");
    }

    private DataTable finalists() {
        DataTable table = new DataTable("Confirmed by simulation of "
                        + Numbers.count(plan.requests().size()) + " requests, cheapest first")
                .columns("#USD a month", "Engine", "Shape", "#Copies", "#Devices", "max_num_seqs / tokens");
        plan.slo().bounds().forEach(bound -> table.number(bound.words() + " (ms)"));
        table.number("Greatest load (requests/s)").text("Pareto");
        for (Candidate c : plan.finalists()) {
            Confirmed confirmed = c.confirmed().orElseThrow();
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
                            row.add(Numbers.significant(confirmed.trial().value(bound), DIGITS)));
            row.add(confirmed.maxLoad() > 0 ? Numbers.significant(confirmed.maxLoad(), DIGITS) : Numbers.NONE);
            row.add(plan.isPareto(c) ? "yes" : "no");
            table.row(row.toArray(new String[0]));
        }
        return table;
    }

    private String month(int devices) {
        return plan.usdPerMonth(devices)
                .map(usd -> Numbers.count(Math.round(usd)))
                .orElse(Numbers.NONE);
    }

    private DataTable choices() {
        DataTable table =
                new DataTable("Best with each choice").columns("Choice", "#Devices", "#USD a month", "How known");
        Map<String, Function<Deployment, String>> axes = new LinkedHashMap<>();
        axes.put("engine", d -> d.shape().kind().words());
        axes.put("tensor parallelism", d -> Integer.toString(d.shape().tp()));
        axes.put("pipeline parallelism", d -> Integer.toString(d.shape().pp()));
        axes.put("weights", d -> Deployment.name(d.shape().weights()));
        axes.put("KV cache", d -> Deployment.name(d.shape().kv()));
        axes.put("max_num_seqs", d -> Integer.toString(d.maxNumSeqs()));
        axes.put("max_num_batched_tokens", d -> Integer.toString(d.maxNumBatchedTokens()));
        axes.forEach((axis, value) -> {
            Map<String, Candidate> best = new LinkedHashMap<>();
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
                                e.getValue().isConfirmed() ? "simulated" : "closed form"));
            }
        });
        return table;
    }

    private static boolean mayRun(Candidate c) {
        return c.isConfirmed()
                || (c.confirmed().isEmpty()
                        && c.estimate().map(Estimate::should).orElse(false));
    }

    private static Candidate better(Candidate one, Candidate other) {
        return other.devices() < one.devices() && !one.isConfirmed() ? other : one;
    }

    private DataTable loads(Candidate winner) {
        DataTable table = new DataTable("Simulated").number("Load (requests/s)");
        plan.slo().bounds().forEach(bound -> table.number(bound.words() + " (ms)"));
        table.text("Verdict");
        for (Trial trial : plan.trials().loads(winner.deployment(), winner.replicas())) {
            List<String> row = new ArrayList<>(List.of(Numbers.significant(trial.load(), DIGITS)));
            plan.slo()
                    .bounds()
                    .forEach(
                            bound -> row.add(Optional.ofNullable(trial.figures().get(bound.figure()))
                                    .map(value -> Numbers.significant(value, DIGITS))
                                    .orElse(Numbers.NONE)));
            row.add(trial.holds() ? "holds" : trial.keepsUp() ? "misses" : "requests pile up");
            table.row(row.toArray(new String[0]));
        }
        return table;
    }

    private DataTable errors(Candidate winner) {
        DataTable table = new DataTable("What a measurement may show, as nine of ten published ones did")
                .columns("Figure", "#Predicted (ms)", "#From (ms)", "#To (ms)", "#Limit (ms)", "Measured on");
        Trial trial = winner.confirmed().orElseThrow().trial();
        for (Bound bound : plan.slo().bounds()) {
            double value = trial.value(bound);
            Optional<Errors> known = errors(winner, bound.kind());
            double high = known.map(e -> e.high(value)).orElse(Double.POSITIVE_INFINITY);
            table.row(
                    bound.words(),
                    Numbers.significant(value, DIGITS),
                    known.map(e -> Numbers.significant(e.low(value), DIGITS)).orElse(Numbers.NONE),
                    Double.isFinite(high) ? Numbers.significant(high, DIGITS) : Numbers.NONE,
                    Numbers.plain(bound.most()),
                    known.map(e -> e.where() + ", " + Numbers.count(e.rows()) + " rows")
                            .orElse("nothing published"));
        }
        return table;
    }

    private Optional<DataTable> slow() {
        if (plan.slow().isEmpty()) {
            return Optional.empty();
        }
        Candidate winner = plan.winner().orElseThrow();
        DataTable table = new DataTable("Copies when steps take longer than predicted")
                .columns("Steps longer by", "Where it comes from", "#Copies", "#USD a month");
        for (Plan.Slow slow : plan.slow()) {
            boolean holds = slow.replicas() > 0;
            table.row(
                    percent(slow.slower() - 1),
                    "token times: " + slow.when() + " that of the measured time",
                    holds ? Integer.toString(slow.replicas()) : Numbers.NONE,
                    holds ? month(slow.replicas() * winner.deployment().shape().devices()) : Numbers.NONE);
        }
        return Optional.of(table);
    }

    private DataTable lost() {
        DataTable table = new DataTable("All of them are in plan_candidates.csv")
                .columns("Shape", "Engines", "#Devices", "Fate", "Why");
        Set<Shape> known = new HashSet<>();
        plan.finalists().forEach(c -> known.add(c.deployment().shape()));
        Map<List<String>, Set<String>> engines = new LinkedHashMap<>();
        plan.ranked().stream()
                .filter(c -> !c.isConfirmed() && known.add(c.deployment().shape()))
                .sorted(Comparator.comparing(c -> c.fate() == Fate.MEMORY || c.fate() == Fate.UNSUPPORTED))
                .forEach(c -> engines.computeIfAbsent(
                                List.of(
                                        c.deployment().shape().words(),
                                        c.devices() > 0 ? Integer.toString(c.devices()) : Numbers.NONE,
                                        c.fate().id(),
                                        c.why()),
                                row -> new LinkedHashSet<>())
                        .add(c.deployment().shape().kind().words()));
        engines.entrySet().stream()
                .limit(SHOWN)
                .forEach(e -> table.row(
                        e.getKey().get(0),
                        String.join(", ", e.getValue()),
                        e.getKey().get(1),
                        e.getKey().get(2),
                        e.getKey().get(3)));
        return table;
    }

    private String searched() {
        Set<Shape> shapes = new HashSet<>();
        Set<Shape> can = new HashSet<>();
        plan.ranked().forEach(c -> {
            shapes.add(c.deployment().shape());
            c.replica().ifPresent(replica -> can.add(replica.shape()));
        });
        return Numbers.count(plan.looked()) + " deployments of " + shapes.size() + " shapes were looked at; "
                + (shapes.size() - can.size())
                + " shapes cannot run, the others were ordered by a closed form over the same step times, and "
                + plan.trials().count() + " simulations decided.";
    }

    private String assumed() {
        return "Assumed: copies behind a round robin"
                + (plan.settings().search().hasPools() ? ", but for those of plan_pools.csv" : "")
                + "; batches of TensorRT-LLM formed by the rules of vLLM's V1 engine, with"
                + " its own step times; no speculative decoding, no expert parallelism"
                + (plan.settings().search().pools() ? "" : ", no separate pools for prompts (search.pools)")
                + "; pipelines were checked against no measurement. Prices are rents of devices"
                + priceNote() + ". Lower precision changes what the model answers: check its quality.";
    }

    private String priceNote() {
        HardwareCard card = plan.settings().hardware();
        if (plan.price().isEmpty()) {
            return ", which are not known";
        }
        String at = " at " + Numbers.plain(plan.price().get()) + " USD an hour";
        if (plan.settings().priceUsdHr().isPresent()) {
            return at;
        }
        String range = card.priceUsdHrLow()
                .flatMap(low ->
                        card.priceUsdHrHigh().map(high -> " of " + Numbers.plain(low) + " to " + Numbers.plain(high)))
                .orElse("");
        return at + ", the typical one" + range + " on the hardware card ("
                + card.priceBasis().orElse("no source") + ")";
    }
}
