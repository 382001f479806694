package dev.stagesim.predict.forest;

/** Finds the best split of a node and partitions the node's rows. */
final class SplitSearch {
    /** Values closer than this are treated as equal; added in single precision. */
    private static final float SAME = 1e-7f;

    private static final double EPSILON = Math.ulp(1.0);

    private final float[][] values;
    private final double[] weight;
    private final double[] weighted;
    private final double[] weightedSquare;
    private final double allWeight;
    private final FeatureOrder order;
    private final int[] features;
    private final int[] constantFeatures;
    /** Rows of the tree in the order of the sorts and partitions so far. */
    private final long[] entries;

    private int start;
    private int end;
    private double sum;
    private double squares;
    private double nodeWeight;

    private double sumLeft;
    private double weightLeft;
    private int advanced;

    private double bestScore;
    private int bestPosition;
    private int bestFeature;
    private double bestThreshold;
    private int knownConstants;
    private double impurityLeft;
    private double impurityRight;

    /** Rows that were not drawn are omitted; the rest keep their order, with the number of draws as weight. */
    SplitSearch(TrainingRows rows, int[] counts, FeatureOrder order) {
        int n = 0;
        for (int count : counts) {
            n += count > 0 ? 1 : 0;
        }
        this.order = order;
        values = new float[rows.features()][n];
        weight = new double[n];
        weighted = new double[n];
        weightedSquare = new double[n];
        entries = new long[n];
        features = new int[values.length];
        constantFeatures = new int[values.length];
        for (int f = 0; f < features.length; f++) {
            features[f] = f;
            constantFeatures[f] = f;
        }
        int at = 0;
        for (int row = 0; row < counts.length; row++) {
            if (counts[row] > 0) {
                double y = rows.target(row);
                for (int f = 0; f < values.length; f++) {
                    values[f][at] = rows.feature(f, row);
                }
                weight[at] = counts[row];
                weighted[at] = counts[row] * y;
                weightedSquare[at] = counts[row] * y * y;
                entries[at] = at;
                at++;
            }
        }
        this.allWeight = counts.length;
    }

    int size() {
        return entries.length;
    }

    /** Selects the node with the rows in [from, to). */
    void open(int from, int to) {
        start = from;
        end = to;
        sum = 0;
        squares = 0;
        nodeWeight = 0;
        for (int p = from; p < to; p++) {
            int row = UnstableSort.row(entries[p]);
            sum += weighted[row];
            squares += weightedSquare[row];
            nodeWeight += weight[row];
        }
    }

    double impurity() {
        double mean = sum / nodeWeight;
        return squares / nodeWeight - mean * mean;
    }

    double mean() {
        return sum / nodeWeight;
    }

    /** Finds the best split, or returns false. {@code known} features are constant in all ancestors. */
    boolean split(double impurity, int known) {
        bestScore = Double.NEGATIVE_INFINITY;
        bestPosition = end;
        searchFeatures(known);
        if (bestPosition >= end) {
            return false;
        }
        partition();
        childImpurities();
        double weightRight = nodeWeight - weightLeft;
        double improvement = nodeWeight
                / allWeight
                * (impurity - weightRight / nodeWeight * impurityRight - weightLeft / nodeWeight * impurityLeft);
        return improvement + EPSILON >= 0;
    }

    /**
     * Visits the features in random order. The array contains, in order: drawn features that are constant in ancestors,
     * the remaining ones of those, features found constant here, unvisited features, and visited features.
     */
    private void searchFeatures(int known) {
        int unvisited = features.length;
        int drawn = 0;
        int found = 0;
        while (unvisited > known + found) {
            int pick = order.between(drawn, unvisited - found);
            if (pick < known) {
                swapFeatures(drawn++, pick);
                continue;
            }
            pick += found;
            int feature = features[pick];
            sortBy(feature);
            if (UnstableSort.value(entries[end - 1]) <= UnstableSort.value(entries[start]) + SAME) {
                swapFeatures(pick, known + found);
                found++;
            } else {
                unvisited--;
                swapFeatures(unvisited, pick);
                scan(feature);
            }
        }
        System.arraycopy(constantFeatures, 0, features, 0, known);
        System.arraycopy(features, known, constantFeatures, known, found);
        knownConstants = known + found;
    }

    private void swapFeatures(int a, int b) {
        int swapped = features[a];
        features[a] = features[b];
        features[b] = swapped;
    }

    private void sortBy(int feature) {
        float[] column = values[feature];
        for (int p = start; p < end; p++) {
            int row = UnstableSort.row(entries[p]);
            entries[p] = UnstableSort.entry(column[row], row);
        }
        UnstableSort.sort(entries, start, end);
    }

    private void scan(int feature) {
        rewind();
        float before = UnstableSort.value(entries[start]);
        for (int p = start + 1; p < end; p++) {
            float value = UnstableSort.value(entries[p]);
            if (value > before + SAME) {
                advance(p);
                double sumRight = sum - sumLeft;
                double score = sumLeft * sumLeft / weightLeft + sumRight * sumRight / (nodeWeight - weightLeft);
                if (score > bestScore) {
                    bestScore = score;
                    bestFeature = feature;
                    bestPosition = p;
                    double middle = before / 2.0 + value / 2.0;
                    bestThreshold = middle == value ? before : middle;
                }
            }
            before = value;
        }
    }

    private void rewind() {
        sumLeft = 0;
        weightLeft = 0;
        advanced = start;
    }

    /** Sets the left sums to the rows before {@code position}, from the side with fewer rows to visit. */
    private void advance(int position) {
        if (position - advanced <= end - position) {
            for (int p = advanced; p < position; p++) {
                int row = UnstableSort.row(entries[p]);
                sumLeft += weighted[row];
                weightLeft += weight[row];
            }
        } else {
            sumLeft = sum;
            weightLeft = nodeWeight;
            for (int p = end - 1; p >= position; p--) {
                int row = UnstableSort.row(entries[p]);
                sumLeft -= weighted[row];
                weightLeft -= weight[row];
            }
        }
        advanced = position;
    }

    private void partition() {
        float[] column = values[bestFeature];
        int p = start;
        int greater = end;
        while (p < greater) {
            long entry = entries[p];
            if (column[UnstableSort.row(entry)] <= bestThreshold) {
                p++;
            } else {
                greater--;
                entries[p] = entries[greater];
                entries[greater] = entry;
            }
        }
    }

    private void childImpurities() {
        rewind();
        advance(bestPosition);
        double squaresLeft = 0;
        for (int p = start; p < bestPosition; p++) {
            squaresLeft += weightedSquare[UnstableSort.row(entries[p])];
        }
        double weightRight = nodeWeight - weightLeft;
        double meanLeft = sumLeft / weightLeft;
        double meanRight = (sum - sumLeft) / weightRight;
        impurityLeft = squaresLeft / weightLeft - meanLeft * meanLeft;
        impurityRight = (squares - squaresLeft) / weightRight - meanRight * meanRight;
    }

    int position() {
        return bestPosition;
    }

    int feature() {
        return bestFeature;
    }

    double threshold() {
        return bestThreshold;
    }

    /** Number of features that are constant in both children. */
    int constants() {
        return knownConstants;
    }

    double impurityLeft() {
        return impurityLeft;
    }

    double impurityRight() {
        return impurityRight;
    }
}
