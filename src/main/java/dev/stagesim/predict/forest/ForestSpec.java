package dev.stagesim.predict.forest;

/**
 * Size of a forest.
 *
 * @param maxDepth splits on the way to a leaf, at most
 * @param minSamplesSplit distinct rows that a node must have to be split
 */
public record ForestSpec(int trees, int maxDepth, int minSamplesSplit) {
    public ForestSpec {
        if (trees < 1 || maxDepth < 1 || minSamplesSplit < 2) {
            throw new IllegalArgumentException(
                    trees + " trees, depth " + maxDepth + ", least rows of a split " + minSamplesSplit);
        }
    }
}
