package dev.stagesim.predict.linear;

import java.util.ArrayList;
import java.util.List;

/**
 * Form of a polynomial model.
 *
 * @param fitIntercept whether features and target are centred before fitting
 * @param degree maximum sum of exponents, at least 1
 * @param bias whether there is a constant term
 * @param interactionOnly whether each feature appears at most once in a term
 */
public record LinearSpec(boolean fitIntercept, int degree, boolean bias, boolean interactionOnly) {
    public LinearSpec {
        if (degree < 1) {
            throw new IllegalArgumentException("degree " + degree);
        }
    }

    /** Exponents of each term: constant first, then by degree, and lexicographically within a degree. */
    List<int[]> terms(int features) {
        List<int[]> terms = new ArrayList<>();
        for (int d = bias ? 0 : 1; d <= degree; d++) {
            add(terms, new int[features], 0, d);
        }
        return terms;
    }

    private void add(List<int[]> terms, int[] exponents, int feature, int left) {
        if (left == 0) {
            terms.add(exponents.clone());
            return;
        }
        if (feature == exponents.length) {
            return;
        }
        for (int e = interactionOnly ? Math.min(left, 1) : left; e >= 0; e--) {
            exponents[feature] = e;
            add(terms, exponents, feature + 1, left - e);
        }
        exponents[feature] = 0;
    }
}
