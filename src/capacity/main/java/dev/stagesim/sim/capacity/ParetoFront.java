package dev.stagesim.sim.capacity;

/**
 * Which of several candidates no other is better than, all objectives to be as small as possible.
 *
 * <p>A candidate dominates another when it is no worse in every objective and better in one; of equal candidates the
 * first stays. O(n^2) comparisons of a few doubles: thousands of candidates take milliseconds.
 */
public final class ParetoFront {
    /** Stands for a candidate that nothing dominates. */
    public static final int NONE = -1;

    private ParetoFront() {}

    /**
     * For each candidate the first on the front that dominates it, {@link #NONE} when it is on the front itself.
     *
     * @param objectives one row a candidate, equally long, without NaN
     */
    public static int[] dominators(double[][] objectives) {
        int n = objectives.length;
        boolean[] front = new boolean[n];
        for (int i = 0; i < n; i++) {
            front[i] = true;
            for (int j = 0; j < n && front[i]; j++) {
                front[i] = i == j || !dominates(objectives[j], objectives[i], j < i);
            }
        }
        int[] dominators = new int[n];
        for (int i = 0; i < n; i++) {
            dominators[i] = NONE;
            for (int j = 0; j < n && !front[i] && dominators[i] == NONE; j++) {
                if (front[j] && dominates(objectives[j], objectives[i], j < i)) {
                    dominators[i] = j;
                }
            }
        }
        return dominators;
    }

    private static boolean dominates(double[] a, double[] b, boolean isBefore) {
        boolean better = false;
        for (int k = 0; k < a.length; k++) {
            if (a[k] > b[k]) {
                return false;
            }
            better |= a[k] < b[k];
        }
        return better || isBefore;
    }
}
