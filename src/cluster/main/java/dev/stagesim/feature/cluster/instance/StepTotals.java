package dev.stagesim.feature.cluster.instance;

import dev.stagesim.feature.cluster.experts.ExpertPlan;
import dev.stagesim.sim.serving.replica.Batch;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Sums over the steps of an instance with prompts, or of those without. */
public final class StepTotals {
    private final String kind;
    private long steps;
    private double seconds;
    private double tokens;

    /** Time per layer in which engines in lockstep send tokens to experts and back. */
    private double exchangeMs;

    private StepTotals(String kind) {
        this.kind = kind;
    }

    /** Returns empty sums for decode steps and for steps with prompts. */
    static List<StepTotals> both() {
        return List.of(new StepTotals("decode"), new StepTotals("prefill"));
    }

    /** Adds a step to the sums of its kind. */
    static void add(List<StepTotals> both, Batch batch, double stepSeconds) {
        StepTotals of = both.get(batch.step.prefills > 0 ? 1 : 0);
        of.steps++;
        of.seconds += stepSeconds;
        of.tokens += batch.step.tokens;
        of.exchangeMs += batch.step.exchangeMs;
    }

    /** A kind of step with the share of its time in which instances send tokens to experts and back. */
    public record ExchangeShare(String kind, double share) {}

    /** Returns the kind of step of a pool with the highest share, from its mean step; empty if there are no steps. */
    public static Optional<ExchangeShare> exchange(ExpertGroup group, List<Instance> instances) {
        return both().stream()
                .map(none -> instances.stream()
                        .flatMap(instance -> instance.stepTotals.stream())
                        .filter(of -> of.kind.equals(none.kind))
                        .reduce(none, StepTotals::plus))
                .filter(of -> of.steps > 0)
                .map(of -> new ExchangeShare(of.kind, of.exchangeShare(group)))
                .max(Comparator.comparingDouble(ExchangeShare::share));
    }

    private StepTotals plus(StepTotals other) {
        StepTotals sum = new StepTotals(kind);
        sum.steps = steps + other.steps;
        sum.seconds = seconds + other.seconds;
        sum.tokens = tokens + other.tokens;
        sum.exchangeMs = exchangeMs + other.exchangeMs;
        return sum;
    }

    /** Without lockstep, the exchange is that of the mean step. */
    private double exchangeShare(ExpertGroup group) {
        PoolPlan pool = group.pool;
        boolean hasOwnLoad = pool.experts().filter(ExpertPlan::hasOwnLoad).isPresent();
        int mean = (int) Math.max(1, Math.round(tokens / steps));
        double spent = exchangeMs > 0
                ? exchangeMs * pool.spec().layersPerStage()
                : steps * pool.replica().exchangeMs(mean, hasOwnLoad ? group : null);
        return spent / (1e3 * seconds);
    }
}
