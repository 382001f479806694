package dev.stagesim.predict.forest;

import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;

/** A trained forest: the mean of its trees. Immutable. */
public final class Forest {
    private final List<Tree> trees;

    private Forest(List<Tree> trees) {
        this.trees = trees;
    }

    /** Draws the seeds of a forest's trees. */
    public static int[] drawSeeds(Draws draws, int trees) {
        int[] seeds = new int[trees];
        for (int i = 0; i < trees; i++) {
            seeds[i] = draws.upTo(TreeGrower.MAX_SEED);
        }
        return seeds;
    }

    /** Grows a forest with one seed per tree. Trees grow in parallel, which does not change the result. */
    public static Forest grow(TrainingRows rows, ForestSpec spec, int[] seeds, Draws.Source source) {
        return new Forest(IntStream.of(seeds)
                .parallel()
                .mapToObj(seed -> TreeGrower.grow(rows, spec, seed, source))
                .toList());
    }

    /** Mean of the trees' values at a point; a forest with one feature ignores the second. */
    public double at(float first, float second) {
        double sum = 0;
        for (Tree tree : trees) {
            sum += tree.at(first, second);
        }
        return sum / trees.size();
    }

    List<Tree> trees() {
        return trees;
    }

    /** Values at all pairs of ascending keys, as blocks without a threshold of any tree inside. */
    public Blocks over(float[] first, float[] second) {
        return new Raster(first, second, trees).blocks();
    }

    /**
     * Grows one tree on a bootstrap sample: depth first, with the split that reduces the squared error most.
     *
     * <p>Every sum has a prescribed order, because results must be equal to the last bit.
     */
    private static final class TreeGrower {
        /** Maximum seed of the generators of a tree. */
        static final int MAX_SEED = Integer.MAX_VALUE - 1;

        /** Impurity below which a node counts as pure. */
        private static final double EPSILON = Math.ulp(1.0);

        private static final int FRAME = 6;

        private final ForestSpec spec;
        private final SplitSearch search;
        private final Tree tree = new Tree();
        /**
         * Stack of nodes to grow: start, end, depth, parent, whether it is a left child, and number of constant
         * features.
         */
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
            return tree.trimmed();
        }

        private void node(int start, int end, int depth, int parent, boolean isLeft, int constants) {
            double inherited = impurities[open];
            search.open(start, end);
            double impurity = parent < 0 ? search.impurity() : inherited;
            int node = tree.addLeaf(search.mean());
            if (parent >= 0 && !isLeft) {
                tree.setRight(parent, node);
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

    /**
     * Evaluates a forest on a grid. Each tree adds its leaves' values to their rectangles, in the order of the trees,
     * so that every sum is rounded as in individual evaluations.
     */
    private static final class Raster {
        private final List<Tree> trees;
        private final Axis first;
        private final Axis second;
        private final double[] sums;

        Raster(float[] firstKeys, float[] secondKeys, List<Tree> trees) {
            this.trees = trees;
            this.first = new Axis(firstKeys, 0, trees);
            this.second = new Axis(secondKeys, 1, trees);
            this.sums = new double[Math.multiplyExact(first.blocks(), second.blocks())];
        }

        Blocks blocks() {
            for (Tree tree : trees) {
                add(tree, 0, 0, first.blocks(), 0, second.blocks());
            }
            for (int i = 0; i < sums.length; i++) {
                sums[i] /= trees.size();
            }
            return new Blocks(first.starts, second.starts, sums);
        }

        private void add(Tree tree, int node, int top, int bottom, int left, int right) {
            if (tree.isLeaf(node)) {
                double value = tree.value(node);
                for (int row = top; row < bottom; row++) {
                    int at = row * second.blocks();
                    for (int i = at + left; i < at + right; i++) {
                        sums[i] += value;
                    }
                }
            } else if (tree.feature(node) == 0) {
                int cut = first.cut(tree.threshold(node));
                if (cut > top) {
                    add(tree, tree.left(node), top, Math.min(cut, bottom), left, right);
                }
                if (cut < bottom) {
                    add(tree, tree.right(node), Math.max(cut, top), bottom, left, right);
                }
            } else {
                int cut = second.cut(tree.threshold(node));
                if (cut > left) {
                    add(tree, tree.left(node), top, bottom, left, Math.min(cut, right));
                }
                if (cut < right) {
                    add(tree, tree.right(node), top, bottom, Math.max(cut, left), right);
                }
            }
        }

        /** One axis of the grid: its keys, and the blocks between the thresholds of all trees. */
        private static final class Axis {
            private final float[] keys;
            private final int[] starts;
            private final int[] blockOf;

            Axis(float[] keys, int feature, List<Tree> trees) {
                this.keys = keys;
                BitSet cuts = new BitSet(keys.length + 1);
                cuts.set(0);
                for (Tree tree : trees) {
                    for (int node = 0; node < tree.size(); node++) {
                        if (tree.feature(node) == feature) {
                            cuts.set(keysUpTo(tree.threshold(node)));
                        }
                    }
                }
                cuts.clear(keys.length);
                starts = cuts.stream().toArray();
                blockOf = new int[keys.length + 1];
                Arrays.fill(blockOf, starts.length);
                for (int i = 0; i < starts.length; i++) {
                    blockOf[starts[i]] = i;
                }
            }

            int blocks() {
                return starts.length;
            }

            /** Number of blocks on the left side of a threshold. */
            int cut(double threshold) {
                return blockOf[keysUpTo(threshold)];
            }

            private int keysUpTo(double threshold) {
                int low = 0;
                int high = keys.length;
                while (low < high) {
                    int middle = (low + high) >>> 1;
                    if (keys[middle] <= threshold) {
                        low = middle + 1;
                    } else {
                        high = middle;
                    }
                }
                return low;
            }
        }
    }
}
