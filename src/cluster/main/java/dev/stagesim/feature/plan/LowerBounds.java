package dev.stagesim.feature.plan;

import dev.stagesim.feature.plan.Slo.SloBound;
import dev.stagesim.model.hardware.StepCard;
import dev.stagesim.report.Numbers;
import dev.stagesim.serving.EngineChoice;
import dev.stagesim.serving.ReplicaModel;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.stats.Quantiles;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.DoubleUnaryOperator;

/**
 * Lower bounds on the simulated metrics of a deployment and on its number of copies. Only these bounds exclude a
 * deployment.
 *
 * <p>Every bound is per request: a prompt needs its steps ({@link StepFloor#promptMs}) and its attention ({@link
 * StepFloor#prefillMs}), output tokens need one step for each token and its accepted drafts. Order statistics are monotone, so a quantile of lower bounds
 * is a lower bound of the quantile.
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
    private final int engines;
    private final boolean separatesPrefill;

    /** Maximum output tokens of a request in a step. */
    private final int perStep;

    private final double perTokenMs;
    private final double[] promptMs;

    LowerBounds(ReplicaModel replica, StepFloor floor, RequestWork work, Slo slo, EngineChoice deployment) {
        this.work = work;
        this.slo = slo;
        this.floor = floor;
        card = replica.engine();
        stages = replica.cluster().numPipelineStages();
        maxNumSeqs = deployment.maxNumSeqs();
        engines = replica.scheduler().dataParallelSize();
        separatesPrefill = !(replica.scheduler() instanceof SchedulerSettings.VllmV1
                || replica.scheduler() instanceof SchedulerSpec.Sarathi);
        perStep = 1 + deployment.shape().drafting().tokens();
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
     * The whole prompt is cached when a request decodes, even if it was not computed. Only one stage counts, because
     * asynchronous engines run steps of a request in several stages at once.
     */
    private double tpotMs(double prompt) {
        return floor.decodeMs(prompt) / perStep;
    }

    /**
     * Returns the lower bound of a metric in ms, for any load and number of copies. A simulation adds the same times in
     * another order, so the bound leaves room for rounding.
     */
    double metric(SloBound bound) {
        double quantile = bound.quantile();
        double exact =
                switch (bound.kind()) {
                    case "ttft" -> quantile(work.prompts(), quantile, this::ttftMs);
                    case "tpot" -> quantile(work.promptsOfSeveral(), quantile, this::tpotMs);
                    default -> wholeMs(quantile);
                };
        return (1 - ROUNDING) * exact;
    }

    private double wholeMs(double quantile) {
        double[] whole = new double[work.size()];
        Arrays.setAll(whole, i -> ttftMs(work.prompt(i)) + (work.output(i) - 1) * tpotMs(work.prompt(i)));
        return Quantiles.of(whole, quantile);
    }

    /** Returns a quantile of an increasing function; computes only the two adjacent order statistics. */
    private static double quantile(double[] sorted, double quantile, DoubleUnaryOperator rising) {
        if (sorted.length == 0) {
            return 0;
        }
        double position = (sorted.length - 1) * quantile;
        int below = (int) position;
        double low = rising.applyAsDouble(sorted[below]);
        return position == below ? low : low + (position - below) * (rising.applyAsDouble(sorted[below + 1]) - low);
    }

    /** Describes the first bound of the SLO that no number of copies can meet. */
    Optional<String> unattainable() {
        return slo.bounds().stream()
                .filter(bound -> metric(bound) > bound.limit())
                .findFirst()
                .map(bound -> bound.label() + " is at least " + Numbers.significant(metric(bound), DIGITS)
                        + " ms with any number of copies (limit " + Numbers.plain(bound.limit()) + ")");
    }

    /**
     * Returns the minimum number of copies. The steps of all requests that must finish by a time take no longer than
     * the total time of all engines of all copies until then. A bound on quantile q requires at least floor((n - 1) q) + 1 of n
     * requests within the limit; the requests with the smallest work are counted.
     *
     * @param spanS seconds from the first arrival to the last
     * @param deadlineS end of a simulation, in seconds
     */
    double copies(double spanS, double deadlineS) {
        double minimum = stepsMs(work.size()) / (MS * deadlineS);
        for (SloBound bound : slo.bounds()) {
            int within = (int) ((work.size() - 1) * bound.quantile()) + 1;
            double ms = MS * spanS + bound.limit();
            if (bound.kind().equals("ttft")) {
                minimum = Math.max(minimum, perTokenMs * work.computedTokens(within) / ms);
            } else if (bound.kind().equals("e2e")) {
                minimum = Math.max(minimum, stepsMs(within) / ms);
            }
        }
        return Math.max(1, Math.ceil(minimum / engines - ROUNDING));
    }

    /** Returns the minimum time of the steps of one stage that serve {@code count} requests, in ms. */
    private double stepsMs(int count) {
        double decodeSteps = work.decodedTokens(count) / perStep / maxNumSeqs * floor.anyMs();
        return separatesPrefill
                ? work.computedTokens(count) * perTokenMs + decodeSteps
                : Math.max(work.tokens(count) * perTokenMs, decodeSteps);
    }
}
