package dev.stagesim.predict.linear;

import dev.stagesim.predict.forest.GridSearch;
import dev.stagesim.predict.forest.PercentageError;
import java.util.Arrays;
import java.util.List;

/** Selects the form of a polynomial by cross-validation on contiguous folds, then fits it to all rows. */
public final class LinearGridSearch {
    private LinearGridSearch() {}

    /**
     * Fits the best candidate; ties select the earliest.
     *
     * @param folds folds, if there are as many rows; otherwise 2
     */
    public static LinearModel fit(double[][] features, double[] targets, List<LinearSpec> candidates, int folds) {
        return LinearModel.fit(features, targets, best(features, targets, candidates, folds));
    }

    /** The candidate with the lowest mean percentage error. */
    public static LinearSpec best(double[][] features, double[] targets, List<LinearSpec> candidates, int folds) {
        int splits = targets.length < folds ? 2 : folds;
        if (candidates.size() == 1 || targets.length < splits) {
            return candidates.get(0);
        }
        double[] scores = candidates.parallelStream()
                .mapToDouble(candidate -> score(features, targets, candidate, splits))
                .toArray();
        int best = 0;
        for (int i = 1; i < scores.length; i++) {
            best = scores[i] < scores[best] ? i : best;
        }
        return candidates.get(best);
    }

    private static double score(double[][] features, double[] targets, LinearSpec candidate, int splits) {
        double[] errors = new double[splits];
        for (int fold = 0; fold < splits; fold++) {
            int from = GridSearch.start(targets.length, splits, fold);
            int to = GridSearch.start(targets.length, splits, fold + 1);
            double[][] kept = Arrays.stream(features)
                    .map(feature -> without(feature, from, to))
                    .toArray(double[][]::new);
            LinearModel model = LinearModel.fit(kept, without(targets, from, to), candidate);
            double[] predicted = new double[to - from];
            for (int i = from; i < to; i++) {
                predicted[i - from] = model.at(features[0][i], features.length > 1 ? features[1][i] : 0);
            }
            errors[fold] = PercentageError.of(Arrays.copyOfRange(targets, from, to), predicted);
        }
        return PercentageError.mean(errors);
    }

    private static double[] without(double[] values, int from, int to) {
        double[] kept = new double[values.length - (to - from)];
        System.arraycopy(values, 0, kept, 0, from);
        System.arraycopy(values, to, kept, from, values.length - to);
        return kept;
    }
}
