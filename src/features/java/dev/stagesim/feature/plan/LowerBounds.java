package dev.stagesim.feature.plan;

import dev.stagesim.feature.EngineChoice;
import dev.stagesim.feature.plan.Slo.SloBound;
import dev.stagesim.model.StepCard;
import dev.stagesim.report.Numbers;
import dev.stagesim.serving.ReplicaModel;
import dev.stagesim.sim.serving.SchedulerSettings;
import dev.stagesim.sim.serving.SchedulerSpec;
import dev.stagesim.stats.Quantiles;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.DoubleUnaryOperator;

/**
 * Metrics that no simulation of a deployment can be below, and the minimum number of copies. Only these exclude a deployment.
 *
 * <p>Every bound is per request: a prompt needs its steps ({@link StepFloor#promptMs}), an output token a step. Order
 * statistics are monotone, so a quantile of lower bounds is a lower bound of the quantile.
 */
final class LowerBounds {
    private static final double MS = 1e3;
    private static final int DIGITS = 3;
    private static final double ROUNDING = 1e-9;

    private final RequestWork work;
    private final Slo slo;
    private final StepFloor floor;
    private final StepCard card;
    private final int stages;
    private final int maxNumSeqs;
    private final boolean separatesPrefill;
    private final double perTokenMs;
    private final double[] promptMs;

    LowerBounds(ReplicaModel replica, StepFloor floor, RequestWork work, Slo slo, EngineChoice deployment) {
        this.work = work;
        this.slo = slo;
        this.floor = floor;
        card = replica.engine();
        stages = replica.cluster().numPipelineStages();
        maxNumSeqs = deployment.maxNumSeqs();
        separatesPrefill = !(replica.scheduler() instanceof SchedulerSettings.VllmV1
                || replica.scheduler() instanceof SchedulerSpec.Sarathi);
        perTokenMs = floor.perTokenMs(deployment.maxNumBatchedTokens());
        promptMs = floor.promptMs(deployment.maxNumBatchedTokens());
    }

    private double ttftMs(double prompt) {
        double tokens = work.computed(prompt);
        int tiles = (int) Math.min(promptMs.length - 1, Math.ceil(tokens / StepFloor.TILE));
        double steps = Math.max(Math.max(promptMs[tiles], tokens * perTokenMs), floor.prefillMs(tokens));
        return card.arrivalUs(prompt) / MS + steps + (stages - 1) * floor.anyMs();
    }

    /**
     * The whole prompt is in the cache when a request decodes, computed or not. Only one stage counts: engines that schedule
     * asynchronously have steps of a request in several stages.
     */
    private double tpotMs(double prompt) {
        return floor.decodeMs(prompt);
    }

    /** Lower bound of a metric at any load and number of copies, in ms. */
    double figure(SloBound bound) {
        double quantile = bound.quantile();
        return switch (bound.kind()) {
            case "ttft" -> quantile(work.prompts(), quantile, this::ttftMs);
            case "tpot" -> quantile(work.promptsOfSeveral(), quantile, this::tpotMs);
            default -> {
                double[] whole = new double[work.size()];
                Arrays.setAll(whole, i -> ttftMs(work.prompt(i)) + (work.output(i) - 1) * tpotMs(work.prompt(i)));
                yield Quantiles.of(whole, quantile);
            }
        };
    }

    /** Quantile of a function that rises with the value; only the order statistics next to it are computed. */
    private static double quantile(double[] sorted, double quantile, DoubleUnaryOperator rising) {
        if (sorted.length == 0) {
            return 0;
        }
        double position = (sorted.length - 1) * quantile;
        int below = (int) position;
        double low = rising.applyAsDouble(sorted[below]);
        return position == below ? low : low + (position - below) * (rising.applyAsDouble(sorted[below + 1]) - low);
    }

    /** The first bound of the service level that no number of copies can satisfy, as text. */
    Optional<String> unattainable() {
        return slo.bounds().stream()
                .filter(bound -> figure(bound) > bound.most())
                .findFirst()
                .map(bound -> bound.words() + " is at least " + Numbers.significant(figure(bound), DIGITS)
                        + " ms with any number of copies (limit " + Numbers.plain(bound.most()) + ")");
    }

    /**
     * Minimum number of copies: the steps of the requests that must be done by a time take no longer than all copies have until then.
     * A bound on quantile q is satisfied only if at least floor((n - 1) q) + 1 of n requests are within it; those with the least
     * work are counted.
     *
     * @param spanS seconds from the first arrival to the last
     * @param deadlineS when a simulation ends, in seconds
     */
    double copies(double spanS, double deadlineS) {
        double least = stepsMs(work.size()) / (MS * deadlineS);
        for (SloBound bound : slo.bounds()) {
            int within = (int) ((work.size() - 1) * bound.quantile()) + 1;
            double ms = MS * spanS + bound.most();
            if (bound.kind().equals("ttft")) {
                least = Math.max(least, perTokenMs * work.computedTokens(within) / ms);
            } else if (bound.kind().equals("e2e")) {
                least = Math.max(least, stepsMs(within) / ms);
            }
        }
        return Math.max(1, Math.ceil(least - ROUNDING));
    }

    /** Minimum time of the steps of one stage that serve {@code count} requests, in ms. */
    private double stepsMs(int count) {
        double decodeSteps = work.decodedTokens(count) / maxNumSeqs * floor.anyMs();
        return separatesPrefill
                ? work.computedTokens(count) * perTokenMs + decodeSteps
                : Math.max(work.tokens(count) * perTokenMs, decodeSteps);
    }
}
