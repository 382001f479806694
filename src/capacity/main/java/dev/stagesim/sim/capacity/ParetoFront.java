package dev.stagesim.sim.capacity;

/**
 * The Pareto front of several candidates; all objectives are minimised.
 *
 * <p>A candidate dominates another one if it is no worse in every objective and better in at least one. The first of equal
 * candidates stays on the front. O(n^2) comparisons of a few doubles: thousands of candidates take milliseconds.
 */
public final class ParetoFront {
    /** Value for a candidate on the front. */
    public static final int NONE = -1;

    private ParetoFront() {}

    /**
     * Returns, for each candidate, the first one on the front that dominates it, or {@link #NONE} if it is on the front
     * itself.
     *
     * @param objectives one row per candidate, of equal length and without NaN
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
