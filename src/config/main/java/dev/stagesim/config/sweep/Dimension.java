package dev.stagesim.config.sweep;

import java.util.List;

/** One dimension of a sweep: a list of points, each with one or more overrides, or a continuous range. */
interface Dimension {
    /** Returns the number of points; 0 for a continuous range. */
    int size();

    /** Returns the overrides of one point. */
    List<String> at(int index);

    /**
     * Returns the overrides at a position in the range, from 0 (inclusive) to 1 (exclusive). Each point covers an equal
     * part of the range.
     */
    default List<String> at(double share) {
        return at((int) (share * size()));
    }
}
