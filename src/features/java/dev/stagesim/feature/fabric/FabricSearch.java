package dev.stagesim.feature.fabric;

import dev.stagesim.report.Numbers;
import dev.stagesim.settings.SloSettings;
import dev.stagesim.sim.capacity.ParetoFront;
import dev.stagesim.sim.capacity.ScheduleCost;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/**
 * Evaluates candidates and tells the front from the losers, each with the reason it lost.
 *
 * @param objectives names of the figures that are to be small
 */
record FabricSearch(SloSettings slo, List<String> objectives) {
    private static final double FULL = 1 + 1e-9;
    private static final int DIGITS = 3;

    FabricSearch {
        objectives = List.copyOf(objectives);
    }

    /**
     * Works out every candidate, several at a time; the order of the result is that of {@code questions}, whichever is done
     * first.
     *
     * @param progress told the number done so far
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

    /** The fate of every plan, in the order given. */
    List<FabricCandidate> judged(List<FabricPlan> plans) {
        List<FabricCandidate> judged = new ArrayList<>();
        List<Integer> fit = new ArrayList<>();
        for (int i = 0; i < plans.size(); i++) {
            Optional<FabricCandidate> loser = loser(i, plans.get(i));
            judged.add(loser.orElse(
                    new FabricCandidate(i, plans.get(i), FabricCandidate.Status.FRONT, "", OptionalInt.empty())));
            if (loser.isEmpty()) {
                fit.add(i);
            }
        }
        double[][] values = fit.stream()
                .map(i -> objectives.stream().mapToDouble(plans.get(i)::figure).toArray())
                .toArray(double[][]::new);
        int[] dominators = ParetoFront.dominators(values);
        for (int k = 0; k < dominators.length; k++) {
            if (dominators[k] != ParetoFront.NONE) {
                int loser = fit.get(k);
                int winner = fit.get(dominators[k]);
                judged.set(loser, dominated(plans.get(loser), loser, plans.get(winner), winner));
            }
        }
        return judged;
    }

    /** The cheapest on the front; of equally cheap ones the first. */
    static Optional<FabricCandidate> cheapest(List<FabricCandidate> judged) {
        return judged.stream()
                .filter(FabricCandidate::isOnFront)
                .min(Comparator.comparingDouble(
                                (FabricCandidate candidate) -> candidate.plan().figure(FabricPlan.USD_PER_MTOK))
                        .thenComparingInt(FabricCandidate::number));
    }

    private Optional<FabricCandidate> loser(int number, FabricPlan plan) {
        if (plan.refusal().isPresent()) {
            return Optional.of(new FabricCandidate(
                    number,
                    plan,
                    FabricCandidate.Status.INFEASIBLE,
                    plan.refusal().get(),
                    OptionalInt.empty()));
        }
        double most = busiest(plan);
        if (most > FULL) {
            String why = "the busiest phase asks for " + Numbers.significant(most, DIGITS) + " times what "
                    + plan.totals().mostNodes() + " nodes, the most allowed, can carry";
            return Optional.of(
                    new FabricCandidate(number, plan, FabricCandidate.Status.SATURATED, why, OptionalInt.empty()));
        }
        List<String> broken = broken(plan);
        return broken.isEmpty()
                ? Optional.empty()
                : Optional.of(new FabricCandidate(
                        number, plan, FabricCandidate.Status.SLO, String.join("; ", broken), OptionalInt.empty()));
    }

    /** Load of the busiest phase over what its nodes carry; 0 for training, which has no load of its own. */
    private static double busiest(FabricPlan plan) {
        return plan.has(FabricPlan.TTFT)
                ? plan.totals().phases().stream()
                        .mapToDouble(ScheduleCost.Phase::load)
                        .max()
                        .orElse(0)
                : 0;
    }

    /** The limits that a plan breaks, what its nodes can carry among them, one sentence each. */
    List<String> broken(FabricPlan plan) {
        List<String> broken = new ArrayList<>();
        double most = plan.refusal().isPresent() ? 0 : busiest(plan);
        if (most > FULL) {
            broken.add(
                    "load of the busiest phase " + Numbers.significant(most, DIGITS) + " times what its nodes carry");
        }
        limit(plan, FabricPlan.TTFT, slo.p99TtftMs(), "P99 time to first token", "ms", broken);
        limit(plan, FabricPlan.TPOT, slo.p99TpotMs(), "P99 time per output token", "ms", broken);
        limit(plan, FabricPlan.STEP, slo.stepMs(), "time of a step", "ms", broken);
        limit(plan, FabricPlan.USD_PER_MTOK, slo.usdPerMtok(), "cost of a million tokens", "USD", broken);
        limit(plan, FabricPlan.POWER, slo.powerKw(), "mean power", "kW", broken);
        return broken;
    }

    private static void limit(
            FabricPlan plan, String name, Optional<Double> limit, String what, String unit, List<String> broken) {
        if (limit.isPresent() && plan.has(name) && plan.figure(name) > limit.get()) {
            broken.add(what + " " + Numbers.significant(plan.figure(name), DIGITS) + " " + unit + ", allowed "
                    + Numbers.plain(limit.get()) + " " + unit);
        }
    }

    private static String words(String objective) {
        return switch (objective) {
            case FabricPlan.USD_PER_MTOK -> "a million tokens";
            case FabricPlan.TTFT -> "P99 of the time to first token";
            case FabricPlan.TPOT -> "P99 of the time per output token";
            case FabricPlan.STEP -> "a step";
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
            if (winner.figure(name) < loser.figure(name)) {
                worse.add(words(name) + " " + Numbers.significant(winner.figure(name), DIGITS) + " instead of "
                        + Numbers.significant(loser.figure(name), DIGITS) + " " + unit(name));
            }
        }
        String why = "candidate " + better + " is no worse in anything"
                + (worse.isEmpty() ? " and came first" : ": " + String.join(", ", worse));
        return new FabricCandidate(number, loser, FabricCandidate.Status.DOMINATED, why, OptionalInt.of(better));
    }
}
