package dev.stagesim.stage.calibrate;

import dev.stagesim.measure.CalibrateSettings.Term;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.predict.ScaledTimes;
import dev.stagesim.stats.RelativeFit;
import java.util.Arrays;

/** Values of all terms, by {@link Term#ordinal}: seconds for host times, otherwise factors. */
record Coefficients(double[] values) {
    private static final double MS_PER_S = 1e3;

    /** A factor beyond this value has another cause than efficiency. */
    private static final double MAX_FACTOR = 2;

    static Coefficients none() {
        return new Coefficients(bounds().base());
    }

    static RelativeFit.Bounds bounds() {
        int n = Term.values().length;
        double[] base = new double[n];
        double[] low = new double[n];
        double[] high = new double[n];
        for (Term term : Term.values()) {
            int at = term.ordinal();
            base[at] = isFactor(term) ? 1 : 0;
            low[at] = isFactor(term) ? 1 / MAX_FACTOR : 0;
            high[at] = isFactor(term) ? MAX_FACTOR : Double.POSITIVE_INFINITY;
        }
        return new RelativeFit.Bounds(base, low, high);
    }

    static boolean isFactor(Term term) {
        return term == Term.LINEAR || term == Term.DECODE_ATTENTION || term == Term.PREFILL_ATTENTION;
    }

    double of(Term term) {
        return values[term.ordinal()];
    }

    /** Returns a copy with another value of a term. */
    Coefficients with(Term term, double value) {
        double[] changed = values.clone();
        changed[term.ordinal()] = value;
        return new Coefficients(changed);
    }

    /** Returns the host time of each step, with the time until the next one. */
    double stepSeconds() {
        return of(Term.STEP) + of(Term.GAP);
    }

    /** Returns the value as text, in ms or as a factor. */
    static double shown(Term term, double value) {
        return isFactor(term) ? value : value * MS_PER_S;
    }

    /** Returns the times of a bundle with these terms, for a stage of {@code layers} layers. */
    OperatorTimes times(OperatorTimes bundle, int layers) {
        return new ScaledTimes(
                bundle,
                of(Term.LINEAR),
                of(Term.DECODE_ATTENTION),
                of(Term.PREFILL_ATTENTION),
                stepSeconds() * MS_PER_S,
                of(Term.STEP_REQUEST) * MS_PER_S,
                of(Term.TOKEN) * MS_PER_S / layers,
                of(Term.CACHED_TOKEN) * MS_PER_S / layers);
    }

    /** Interpolates between other coefficients and these. */
    Coefficients between(Coefficients others, double share) {
        double[] mixed = new double[values.length];
        for (int i = 0; i < mixed.length; i++) {
            mixed[i] = share == 1 ? values[i] : others.values[i] + share * (values[i] - others.values[i]);
        }
        return new Coefficients(mixed);
    }

    static String meaning(Term term) {
        return switch (term) {
            case STEP -> "host time in every step";
            case GAP -> "time between two steps, beyond the times in the engine's log";
            case REQUEST -> "host time from arrival until a request can be scheduled";
            case LINEAR -> "factor of all device operators but attention";
            case STEP_REQUEST -> "host time for each request of a step";
            case TOKEN -> "time for each token of a step, beyond the operators";
            case CACHED_TOKEN -> "time for each cached token that decoding requests read, beyond the operators";
            case DECODE_ATTENTION -> "factor of decode attention";
            case PREFILL_ATTENTION -> "factor of prefill attention";
        };
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Coefficients c && Arrays.equals(values, c.values);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(values);
    }
}
