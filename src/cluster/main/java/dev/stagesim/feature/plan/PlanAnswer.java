package dev.stagesim.feature.plan;

import dev.stagesim.feature.plan.DeploymentCandidate.SizeEstimate;
import dev.stagesim.feature.plan.SimulationCache.DeploymentResult;
import dev.stagesim.feature.plan.Slo.SloBound;
import dev.stagesim.model.Count;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.Report.Tone;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Sentences about the best deployment of a plan: the answer, its headroom and its confidence. */
record PlanAnswer(ServingPlan plan) {
    private static final int DIGITS = 3;
    private static final double MS_PER_S = 1000;

    static String capital(String text) {
        return Character.toUpperCase(text.charAt(0)) + text.substring(1);
    }

    static String percent(double share) {
        return Numbers.fixed(100 * share, 0) + " %";
    }

    static String copies(int count, String of) {
        return count + (count == 1 ? " copy of " : " copies of ") + of;
    }

    /** Returns the rating of the answer. */
    Tone tone() {
        return plan.answer().isEmpty() ? Tone.BAD : plan.isThin() ? Tone.WARN : Tone.GOOD;
    }

    /** Returns the first sentence of the plan. */
    String sentence() {
        return plan.answer()
                        .map(best -> best.pools()
                                .map(pools -> sentence(pools, best))
                                .orElseGet(() -> sentence(plan.winner().orElseThrow(), best)))
                        .orElseGet(() -> capital(plan.nothing()) + ".")
                + plan.settings().assumed();
    }

    private String sentence(PoolConfiguration pools, Recommendation best) {
        return Count.of(pools.devices(), "device") + money(best) + ": " + pools.words() + " serve "
                + plan.settings().model().name() + " at "
                + plan.settings().loadWords() + " with " + measured(best) + ", headroom " + shares(best)
                + "; confidence unknown: " + uncompared(pools) + ".";
    }

    private String measured(Recommendation best) {
        return plan.slo().bounds().stream()
                .map(bound -> Slo.measured(bound, best.result().metrics()))
                .collect(Collectors.joining(" and "));
    }

    /** Describes the requests of a closed loop that wait in the queue of an engine; empty if they do not. */
    private String queued(Recommendation best) {
        DeploymentResult result = best.result();
        boolean isBound =
                plan.slo().bounds().stream().anyMatch(bound -> bound.kind().equals("ttft"));
        return !result.isQueued()
                ? ""
                : "; only " + Numbers.significant(result.running(), 2) + " of the "
                        + Numbers.count(Math.round(result.load()))
                        + " requests in flight run at once, the others wait in the engine's queue: P99 TTFT "
                        + Numbers.significant(
                                result.metrics().getOrDefault("ttft_p99_ms", Double.NaN) / MS_PER_S, DIGITS)
                        + " s"
                        + (isBound ? "" : " (add ttft_p99_ms to the SLO)");
    }

    /** Returns the headroom in load, if it was searched, and in the SLO. */
    private String shares(Recommendation best) {
        return (best.result().isQueued()
                        ? "none in load and "
                        : plan.isCheapest()
                                ? percent(best.headroom(plan.settings().load())) + (best.isOpen() ? " or more" : "")
                                        + " in load and "
                                : "")
                + percent(plan.slo().margin(best.result().metrics())) + " in the SLO";
    }

    /** Describes the deployment that is not the answer and names its files; empty if there is none. */
    String alternative() {
        String files = " Files in " + plan.alternative() + "/.";
        return plan.arePoolsCheaper()
                ? plan.winner()
                        .map(best -> "Alternative " + plan.alternative().replace('_', ' ') + ": "
                                + sentence(best, Recommendation.of(plan.simulations(), best)) + files)
                        .orElse("")
                : plan.bestPools()
                        .map(best -> "Alternative: " + best.words() + ", " + Count.of(best.devices(), "device") + "."
                                + (plan.alternativeFiles().isEmpty() ? "" : files))
                        .orElse("");
    }

    /** Returns copies as the answer with their headroom and confidence, in one sentence. */
    private String sentence(DeploymentCandidate winner, Recommendation best) {
        return GoalSearch.words(plan, winner) + winner.devices() + " × "
                + plan.settings().hardware().name() + money(best) + ": "
                + copies(winner.replicas(), winner.deployment().shape().kind().words()) + " with "
                + winner.deployment().shape().words()
                + (winner.replicas() == 1 ? " serves " : " serve ")
                + plan.settings().model().name() + " at "
                + plan.settings().loadWords() + throughput(best.result())
                + " with " + measured(best) + ", headroom " + shares(best) + queued(best) + "; "
                + plan.confidence(winner.deployment().shape()) + ".";
    }

    private String throughput(DeploymentResult result) {
        return plan.settings().closedLoop().isEmpty()
                ? ""
                : " (" + Numbers.significant(plan.rate(result), DIGITS) + " requests/s)";
    }

    private String money(Recommendation best) {
        return plan.usdPerMonth(best)
                .map(usd -> " for " + Numbers.count(Math.round(usd)) + " USD per month, "
                        + Numbers.significant(plan.perMtok(usd, plan.rate(best.result())), DIGITS)
                        + " USD per million output tokens")
                .orElse("");
    }

    /** Describes the margin of the worst seed, the maximum load, and the first violation above it. */
    String headroom() {
        Optional<Recommendation> answer =
                plan.answer().filter(best -> plan.isCheapest() && !best.result().isQueued());
        if (answer.isEmpty()) {
            return "";
        }
        Recommendation best = answer.get();
        double load = plan.settings().load();
        Optional<DeploymentCandidate> copies = plan.winner().filter(winner -> !plan.arePoolsCheaper());
        StringBuilder text = new StringBuilder("Headroom: ")
                .append(percent(best.headroom(load)))
                .append(best.isOpen() ? " or more in load (at least " : " in load (up to ")
                .append(Numbers.significant(best.maxLoad(), DIGITS))
                .append(' ')
                .append(plan.settings().unit())
                .append(") and ")
                .append(percent(plan.slo().margin(best.result().metrics())))
                .append(" in the SLO, for the worst of ")
                .append(Count.of(plan.requests().seeds(), "seed"))
                .append('.');
        copies.map(winner -> winner.confirmed().orElseThrow().seedsWithOneLess())
                .filter(seeds -> seeds > 0)
                .ifPresent(seeds -> text.append(" One copy fewer meets the SLO with only ")
                        .append(seeds)
                        .append(" of ")
                        .append(plan.requests().seeds())
                        .append(" seeds."));
        best.firstAbove().ifPresent(first -> text.append(" Above that load, ")
                .append(violated(first))
                .append(copies.map(winner -> "; " + waits(first) + "a step is limited by "
                                + resource(winner, best.maxLoad() / load * plan.rate(best.result())))
                        .orElse(""))
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
            case KV_BLOCKS -> "the KV cache is full and keeps requests waiting; ";
            case BATCH_CAP -> "max_num_seqs keeps requests waiting; ";
            case TOKEN_BUDGET -> "max_num_batched_tokens keeps prompts waiting; ";
            default -> "";
        };
    }

    /** Describes the published errors, and the copies that are required if steps take longer by these errors. */
    String range() {
        return plan.arePoolsCheaper()
                ? "The plan is not calibrated, and "
                        + uncompared(plan.bestPools().orElseThrow()) + "."
                : plan.winner().map(this::range).orElse("");
    }

    private static String uncompared(PoolConfiguration answer) {
        return (answer.outputs().isPresent() ? "pools" : "copies behind " + answer.routerId())
                + " were not compared with published measurements";
    }

    private String range(DeploymentCandidate winner) {
        StringBuilder text = new StringBuilder("The plan is not calibrated. ");
        plan.errors(winner.deployment().shape(), "tpot")
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
            text.append("If the prediction is ")
                    .append(percent(1 - 1 / slowdown.factor()))
                    .append(" too low, so that steps take ")
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
}
