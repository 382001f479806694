package dev.stagesim.predict.linear;

/**
 * Minimum-norm least squares. Singular values of at most 2^-52 times the maximum count as 0.
 *
 * <p>Householder reflections reduce the rows to a triangle; one-sided Jacobi rotations compute its singular values.
 * O(rows x columns^2).
 */
final class MinimumNormFit {
    private static final double EPSILON = Math.ulp(1.0);
    private static final int MAX_SWEEPS = 60;
    private static final double ORTHOGONAL = 1e-15;

    private MinimumNormFit() {}

    /**
     * Returns the coefficients that minimise the distance between the combined {@code columns} and {@code target}; overwrites its
     * arguments.
     */
    static double[] solve(double[][] columns, double[] target) {
        int n = columns.length;
        int size = Math.min(n, target.length);
        for (int k = 0; k < size; k++) {
            reflect(columns, target, k);
        }
        double[][] left = new double[n][n];
        double[][] right = new double[n][n];
        for (int j = 0; j < n; j++) {
            System.arraycopy(columns[j], 0, left[j], 0, Math.min(j + 1, size));
            right[j][j] = 1;
        }
        for (int sweep = 0; sweep < MAX_SWEEPS && rotate(left, right); sweep++) {
            // until no pair of columns is rotated
        }
        double[] norms = new double[n];
        double maxNorm = 0;
        for (int j = 0; j < n; j++) {
            norms[j] = Math.sqrt(dot(left[j], left[j], n));
            maxNorm = Math.max(maxNorm, norms[j]);
        }
        double[] solution = new double[n];
        for (int j = 0; j < n; j++) {
            if (norms[j] > EPSILON * maxNorm) {
                double share = dot(left[j], target, size) / norms[j] / norms[j];
                for (int i = 0; i < n; i++) {
                    solution[i] += share * right[j][i];
                }
            }
        }
        return solution;
    }

    /** Zeroes column k below its k-th entry by a reflection of all columns and the target. */
    private static void reflect(double[][] columns, double[] target, int k) {
        double[] column = columns[k];
        double scale = 0;
        for (int i = k; i < column.length; i++) {
            scale = Math.max(scale, Math.abs(column[i]));
        }
        if (scale == 0) {
            return;
        }
        double[] v = new double[column.length - k];
        double squares = 0;
        for (int i = 0; i < v.length; i++) {
            v[i] = column[k + i] / scale;
            squares += v[i] * v[i];
        }
        double norm = Math.sqrt(squares);
        double head = v[0];
        v[0] += head >= 0 ? norm : -norm;
        double half = norm * (norm + Math.abs(head));
        for (int j = k + 1; j < columns.length; j++) {
            apply(v, half, columns[j], k);
        }
        apply(v, half, target, k);
        column[k] = (head >= 0 ? -norm : norm) * scale;
    }

    private static void apply(double[] v, double half, double[] to, int k) {
        double sum = 0;
        for (int i = 0; i < v.length; i++) {
            sum += v[i] * to[k + i];
        }
        double factor = sum / half;
        for (int i = 0; i < v.length; i++) {
            to[k + i] -= factor * v[i];
        }
    }

    /** Rotates every pair of columns towards orthogonality; returns false if all were orthogonal. */
    private static boolean rotate(double[][] left, double[][] right) {
        boolean turned = false;
        int n = left.length;
        for (int p = 0; p < n - 1; p++) {
            for (int q = p + 1; q < n; q++) {
                double a = dot(left[p], left[p], n);
                double b = dot(left[q], left[q], n);
                double c = dot(left[p], left[q], n);
                if (Math.abs(c) > ORTHOGONAL * Math.sqrt(a) * Math.sqrt(b)) {
                    double zeta = (b - a) / (2 * c);
                    double t = Math.copySign(1, zeta) / (Math.abs(zeta) + Math.sqrt(1 + zeta * zeta));
                    double cos = 1 / Math.sqrt(1 + t * t);
                    turn(left[p], left[q], cos, cos * t);
                    turn(right[p], right[q], cos, cos * t);
                    turned = true;
                }
            }
        }
        return turned;
    }

    private static void turn(double[] a, double[] b, double cos, double sin) {
        for (int i = 0; i < a.length; i++) {
            double x = a[i];
            a[i] = cos * x - sin * b[i];
            b[i] = sin * x + cos * b[i];
        }
    }

    private static double dot(double[] a, double[] b, int n) {
        double sum = 0;
        for (int i = 0; i < n; i++) {
            sum += a[i] * b[i];
        }
        return sum;
    }
}
