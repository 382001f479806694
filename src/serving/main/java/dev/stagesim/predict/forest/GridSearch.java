package dev.stagesim.predict.forest;

import java.util.ArrayList;
import java.util.List;

/**
 * Selects the size of a forest by cross-validation on contiguous folds, then grows it on all rows.
 *
 * <p>A single candidate needs no validation; only its random numbers are drawn.
 */
public final class GridSearch {
    private final List<ForestSpec> candidates;
    private final int folds;
    private final Draws draws;
    private final Draws.Source source;

    /**
     * Creates a search.
     *
     * @param candidates in order; ties select the earliest
     * @param folds folds, if there are as many rows; otherwise 2
     * @param draws generator of the seeds of all forests of a program
     */
    public GridSearch(List<ForestSpec> candidates, int folds, Draws draws, Draws.Source source) {
        if (candidates.isEmpty() || folds < 2) {
            throw new IllegalArgumentException(candidates.size() + " candidates, " + folds + " folds");
        }
        this.candidates = List.copyOf(candidates);
        this.folds = folds;
        this.draws = draws;
        this.source = source;
    }

    /** Grows the best candidate's forest. */
    public Forest fit(TrainingRows rows) {
        int splits = rows.rows() < folds ? 2 : folds;
        ForestSpec best = candidates.get(0);
        if (candidates.size() == 1 || rows.rows() < splits) {
            for (ForestSpec candidate : candidates) {
                Forest.drawSeeds(draws, splits * candidate.trees());
            }
        } else {
            best = best(rows, splits);
        }
        return Forest.grow(rows, best, Forest.drawSeeds(draws, best.trees()), source);
    }

    private ForestSpec best(TrainingRows rows, int splits) {
        int best = 0;
        double lowest = Double.POSITIVE_INFINITY;
        List<Double> scores = scores(rows, splits);
        for (int i = 0; i < scores.size(); i++) {
            if (scores.get(i) < lowest) {
                lowest = scores.get(i);
                best = i;
            }
        }
        return candidates.get(best);
    }

    /** Mean percentage error of each candidate. */
    List<Double> scores(TrainingRows rows, int splits) {
        List<Double> scores = new ArrayList<>();
        for (ForestSpec candidate : candidates) {
            double[] errors = new double[splits];
            for (int fold = 0; fold < splits; fold++) {
                int from = start(rows.rows(), splits, fold);
                int to = start(rows.rows(), splits, fold + 1);
                int[] seeds = Forest.drawSeeds(draws, candidate.trees());
                Forest forest = Forest.grow(rows.without(from, to), candidate, seeds, source);
                errors[fold] = error(forest, rows, from, to);
            }
            scores.add(PercentageError.mean(errors));
        }
        return scores;
    }

    private static double error(Forest forest, TrainingRows rows, int from, int to) {
        double[] measured = new double[to - from];
        double[] predicted = new double[to - from];
        boolean two = rows.features() > 1;
        for (int i = from; i < to; i++) {
            measured[i - from] = rows.target(i);
            predicted[i - from] = forest.at(rows.feature(0, i), two ? rows.feature(1, i) : 0);
        }
        return PercentageError.of(measured, predicted);
    }

    /** First row of a fold. If rows do not divide evenly, the first folds are one row longer. */
    public static int start(int rows, int folds, int fold) {
        return rows / folds * fold + Math.min(fold, rows % folds);
    }
}
