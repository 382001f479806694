package dev.stagesim.feature.fabric;

import dev.stagesim.capacity.SloSettings;
import dev.stagesim.feature.fabric.FabricCandidate.Status;
import dev.stagesim.report.Numbers;
import dev.stagesim.sim.capacity.ScheduleCost;
import dev.stagesim.stats.ParetoFront;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/**
 * Evaluates candidates and determines the Pareto front; gives a reason for every other candidate.
 *
 * @param objectives names of the metrics to minimise
 */
record FabricSearch(SloSettings slo, List<String> objectives) {
    private static final double FULL = 1 + 1e-9;
    private static final int DIGITS = 3;

    FabricSearch {
        objectives = List.copyOf(objectives);
    }

    /**
     * Evaluates all candidates in parallel; the results are in input order.
     *
     * @param progress receives the number of evaluated candidates
     */
    static <Q> List<FabricPlan> plans(List<Q> questions, Function<Q, FabricPlan> planner, IntConsumer progress) {
        AtomicInteger done = new AtomicInteger();
        return IntStream.range(0, questions.size())
                .parallel()
                .mapToObj(i -> {
                    FabricPlan plan = planner.apply(questions.get(i));
                    progress.accept(done.incrementAndGet());
                    return plan;
                })
                .toList();
    }

    /** Determines the outcome of every plan, in input order. */
    List<FabricCandidate> judge(List<FabricPlan> plans) {
        List<FabricCandidate> candidates = new ArrayList<>();
        List<Integer> fit = new ArrayList<>();
        for (int i = 0; i < plans.size(); i++) {
            Optional<FabricCandidate> loser = loser(i, plans.get(i));
            candidates.add(loser.orElse(new FabricCandidate(i, plans.get(i), Status.FRONT, "")));
            if (loser.isEmpty()) {
                fit.add(i);
            }
        }
        double[][] values = plans.stream()
                .map(plan -> objectives.stream()
                        .filter(plan::has)
                        .mapToDouble(plan::metric)
                        .toArray())
                .toArray(double[][]::new);
        // The first of several equal candidates is on the front.
        ParetoFront<Integer> order = new ParetoFront<>(
                IntStream.range(0, objectives.size())
                        .<Comparator<Integer>>mapToObj(k -> Comparator.comparingDouble(i -> values[i][k]))
                        .toList(),
                (first, second) -> first < second);
        List<Integer> front =
                fit.stream().filter(i -> order.dominator(i, fit).isEmpty()).toList();
        for (int loser : fit) {
            order.dominator(loser, front)
                    .ifPresent(winner ->
                            candidates.set(loser, dominated(plans.get(loser), loser, plans.get(winner), winner)));
        }
        return candidates;
    }

    /** Returns the cheapest candidate on the front; the first of several equal ones. */
    static Optional<FabricCandidate> cheapest(List<FabricCandidate> candidates) {
        return candidates.stream()
                .filter(FabricCandidate::isOnFront)
                .min(Comparator.comparingDouble(
                                (FabricCandidate candidate) -> candidate.plan().metric(FabricPlan.USD_PER_MTOK))
                        .thenComparingInt(FabricCandidate::number));
    }

    private Optional<FabricCandidate> loser(int number, FabricPlan plan) {
        if (plan.refusal().isPresent()) {
            return Optional.of(new FabricCandidate(
                    number, plan, Status.INFEASIBLE, plan.refusal().get()));
        }
        double max = busiest(plan);
        if (max > FULL) {
            String why = "the load of the busiest phase is " + Numbers.significant(max, DIGITS)
                    + " times the capacity of " + plan.totals().mostNodes() + " nodes, the maximum";
            return Optional.of(new FabricCandidate(number, plan, Status.SATURATED, why));
        }
        List<String> violations = violations(plan);
        return violations.isEmpty()
                ? Optional.empty()
                : Optional.of(new FabricCandidate(number, plan, Status.SLO, String.join("; ", violations)));
    }

    /**
     * Returns the load of the busiest phase divided by the capacity of its nodes; 0 for training, which has no load.
     */
    private static double busiest(FabricPlan plan) {
        return plan.has(FabricPlan.TTFT)
                ? plan.totals().phases().stream()
                        .mapToDouble(ScheduleCost.Phase::load)
                        .max()
                        .orElse(0)
                : 0;
    }

    /** Describes each violated limit, including overload. */
    List<String> violations(FabricPlan plan) {
        List<String> violations = new ArrayList<>();
        double max = plan.refusal().isPresent() ? 0 : busiest(plan);
        if (max > FULL) {
            violations.add("load of the busiest phase " + Numbers.significant(max, DIGITS)
                    + " times the capacity of its nodes");
        }
        limit(plan, FabricPlan.TTFT, slo.p99TtftMs(), "P99 TTFT", "ms", violations);
        limit(plan, FabricPlan.TPOT, slo.p99TpotMs(), "P99 TPOT", "ms", violations);
        limit(plan, FabricPlan.STEP, slo.stepMs(), "step time", "ms", violations);
        limit(plan, FabricPlan.USD_PER_MTOK, slo.usdPerMtok(), "cost per million tokens", "USD", violations);
        limit(plan, FabricPlan.POWER, slo.powerKw(), "mean power", "kW", violations);
        return violations;
    }

    private static void limit(
            FabricPlan plan, String name, Optional<Double> limit, String what, String unit, List<String> violations) {
        if (limit.isPresent() && plan.has(name) && plan.metric(name) > limit.get()) {
            violations.add(what + " " + Numbers.significant(plan.metric(name), DIGITS) + " " + unit + ", limit "
                    + Numbers.plain(limit.get()) + " " + unit);
        }
    }

    private static String label(String objective) {
        return switch (objective) {
            case FabricPlan.USD_PER_MTOK -> "cost per million tokens";
            case FabricPlan.TTFT -> "P99 TTFT";
            case FabricPlan.TPOT -> "P99 TPOT";
            case FabricPlan.STEP -> "step time";
            case FabricPlan.POWER -> "mean power";
            default -> throw new IllegalStateException("no objective " + objective);
        };
    }

    private static String unit(String objective) {
        return switch (objective) {
            case FabricPlan.USD_PER_MTOK -> "USD";
            case FabricPlan.POWER -> "kW";
            default -> "ms";
        };
    }

    private FabricCandidate dominated(FabricPlan loser, int number, FabricPlan winner, int better) {
        List<String> worse = new ArrayList<>();
        for (String name : objectives) {
            if (winner.metric(name) < loser.metric(name)) {
                worse.add(label(name) + " " + Numbers.significant(winner.metric(name), DIGITS) + " instead of "
                        + Numbers.significant(loser.metric(name), DIGITS) + " " + unit(name));
            }
        }
        String why = "candidate " + better + " is at least as good in every objective"
                + (worse.isEmpty() ? " and has a lower number" : ": " + String.join(", ", worse));
        return new FabricCandidate(number, loser, Status.DOMINATED, why);
    }
}
