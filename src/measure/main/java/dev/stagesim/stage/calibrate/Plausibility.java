package dev.stagesim.stage.calibrate;

import dev.stagesim.measure.CalibrateSettings.Term;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.predict.Operator;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.report.Numbers;
import dev.stagesim.stats.RelativeFit;
import java.util.ArrayList;
import java.util.List;

/** Warnings about fitted values: a value at a bound of the fit, or a memory bandwidth above the peak. */
record Plausibility(ModelCard model, HardwareCard hardware, OperatorTimes times, int tensorParallel) {
    private static final double VALUE_BYTES = 2;
    private static final double GIGA = 1e9;
    private static final double MS_PER_S = 1e3;
    private static final double AT_BOUND = 1e-3;
    private static final double WHOLE = 1;
    private static final List<Operator> WEIGHTS =
            List.of(Operator.ATTN_PRE_PROJ, Operator.ATTN_POST_PROJ, Operator.MLP_UP_PROJ, Operator.MLP_DOWN_PROJ);

    List<String> findings(Coefficients coefficients, List<Term> fitted) {
        List<String> findings = new ArrayList<>();
        RelativeFit.Bounds bounds = Coefficients.bounds();
        for (Term term : fitted) {
            double value = coefficients.of(term);
            double low = bounds.low()[term.ordinal()];
            double high = bounds.high()[term.ordinal()];
            if (Coefficients.isFactor(term) && (value <= low + AT_BOUND || value >= high - AT_BOUND)) {
                findings.add(CalibrationFiles.name(term) + " is at the bound of the fit, "
                        + Numbers.significant(value, 3) + ": the deviation has a cause other than efficiency, and the"
                        + " true value may be outside the bounds" + share(term, value));
            } else if (Coefficients.isFactor(term) && bandwidthShare(term, value) > WHOLE) {
                findings.add(CalibrationFiles.name(term) + " = " + Numbers.significant(value, 3)
                        + " is not possible on this device" + share(term, value));
            }
        }
        return findings;
    }

    private String share(Term term, double factor) {
        double share = bandwidthShare(term, factor);
        return share > WHOLE
                ? "; it implies " + Numbers.fixed(100 * share, 0) + " % of the memory bandwidth of " + hardware.name()
                : "";
    }

    /** Returns the share of the memory bandwidth that the predicted times of reading weights or cache imply, or 0 if unknown. */
    private double bandwidthShare(Term term, double factor) {
        double bytes = 0;
        double ms = 0;
        if (term == Term.LINEAR && !model.isMixtureOfExperts()) {
            bytes = VALUE_BYTES * weights();
            ms = WEIGHTS.stream().mapToDouble(op -> times.milliseconds(op, 1)).sum();
        } else if (term == Term.DECODE_ATTENTION
                && !model.isLatentAttention()
                && model.window().slidingWindow().isEmpty()) {
            int batch = times.coverage().maxBatch();
            int kv = times.coverage().maxKvTokens();
            double heads = Math.ceil(model.shape().numKvHeads() / (double) tensorParallel);
            bytes = VALUE_BYTES * 2 * heads * model.shape().headDim() * kv * batch;
            ms = times.decodeMilliseconds(batch, kv);
        }
        double perSecond = hardware.memory().memBwGbs().orElse(0.0) * GIGA;
        return ms > 0 && perSecond > 0 ? bytes / (ms * factor / MS_PER_S) / perSecond : 0;
    }

    /** Returns the number of weights of a layer on a device. */
    private double weights() {
        double heads = model.shape().numHeads() / (double) tensorParallel;
        double kvHeads = Math.ceil(model.shape().numKvHeads() / (double) tensorParallel);
        double attention = (2 * heads + 2 * kvHeads) * model.shape().headDim();
        double width = model.shape().ffnDim() / (double) tensorParallel;
        return model.shape().hiddenSize() * (attention + (model.gatedMlp() ? 3 : 2) * width);
    }
}
