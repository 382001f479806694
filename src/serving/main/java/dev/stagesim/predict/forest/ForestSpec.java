package dev.stagesim.predict.forest;

/**
 * Size of a forest.
 *
 * @param maxDepth maximum number of splits above a leaf
 * @param minSamplesSplit minimum number of distinct rows for a split
 */
public record ForestSpec(int trees, int maxDepth, int minSamplesSplit) {
    public ForestSpec {
        if (trees < 1 || maxDepth < 1 || minSamplesSplit < 2) {
            throw new IllegalArgumentException(
                    trees + " trees, depth " + maxDepth + ", minimum rows of a split " + minSamplesSplit);
        }
    }
}
