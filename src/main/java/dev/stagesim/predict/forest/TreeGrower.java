package dev.stagesim.predict.forest;

import java.util.Arrays;

/**
 * Grows one tree on a bootstrap sample: depth first, splitting where the squared error falls most.
 *
 * <p>Every sum is taken in a prescribed order, because the result must not differ in the last bit.
 */
final class TreeGrower {
    /** Greatest seed of the generators of a tree. */
    static final int MAX_SEED = Integer.MAX_VALUE - 1;

    /** Impurity up to which a node counts as pure. */
    private static final double EPSILON = Math.ulp(1.0);

    private static final int FRAME = 6;

    private final ForestSpec spec;
    private final SplitSearch search;
    private final Tree tree = new Tree();
    /** Start, end, depth, parent, whether a left child, and known constant features of the nodes yet to be grown. */
    private int[] frames = new int[FRAME * 64];

    private double[] impurities = new double[64];
    private int open;

    private TreeGrower(ForestSpec spec, SplitSearch search) {
        this.spec = spec;
        this.search = search;
    }

    static Tree grow(TrainingRows rows, ForestSpec spec, int seed, Draws.Source source) {
        int[] counts = new int[rows.rows()];
        Draws bootstrap = source.seeded(seed);
        for (int i = 0; i < counts.length; i++) {
            counts[bootstrap.upTo(counts.length - 1)]++;
        }
        FeatureOrder order = new FeatureOrder(source.seeded(seed).upTo(MAX_SEED));
        return new TreeGrower(spec, new SplitSearch(rows, counts, order)).grow();
    }

    private Tree grow() {
        push(0, search.size(), 0, -1, false, 0, Double.NaN);
        while (open > 0) {
            open--;
            int at = FRAME * open;
            node(frames[at], frames[at + 1], frames[at + 2], frames[at + 3], frames[at + 4] == 1, frames[at + 5]);
        }
        return tree;
    }

    private void node(int start, int end, int depth, int parent, boolean isLeft, int constants) {
        double inherited = impurities[open];
        search.open(start, end);
        double impurity = parent < 0 ? search.impurity() : inherited;
        int node = tree.addLeaf(search.mean());
        if (parent >= 0) {
            tree.setChild(parent, isLeft, node);
        }
        boolean leaf = depth >= spec.maxDepth() || end - start < spec.minSamplesSplit() || impurity <= EPSILON;
        if (leaf || !search.split(impurity, constants)) {
            return;
        }
        tree.split(node, search.feature(), search.threshold());
        int middle = search.position();
        int known = search.constants();
        push(middle, end, depth + 1, node, false, known, search.impurityRight());
        push(start, middle, depth + 1, node, true, known, search.impurityLeft());
    }

    private void push(int start, int end, int depth, int parent, boolean isLeft, int constants, double impurity) {
        if (open == impurities.length) {
            impurities = Arrays.copyOf(impurities, 2 * open);
            frames = Arrays.copyOf(frames, 2 * FRAME * open);
        }
        int at = FRAME * open;
        frames[at] = start;
        frames[at + 1] = end;
        frames[at + 2] = depth;
        frames[at + 3] = parent;
        frames[at + 4] = isLeft ? 1 : 0;
        frames[at + 5] = constants;
        impurities[open++] = impurity;
    }
}
