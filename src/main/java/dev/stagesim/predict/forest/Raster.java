package dev.stagesim.predict.forest;

import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * Evaluates a forest on a whole grid: each tree adds its leaves' values to the rectangles they stand for, in order of
 * the trees, so that every sum is rounded as if the points were evaluated one by one.
 */
final class Raster {
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

    /** One axis of the grid: its keys, and the blocks into which the thresholds of all trees cut them. */
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

        /** Number of blocks whose keys go left. */
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
