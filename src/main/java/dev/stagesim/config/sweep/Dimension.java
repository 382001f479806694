package dev.stagesim.config.sweep;

import java.util.List;

/** One dimension of a sweep: a list of points, each one or more overrides that belong together; or a continuous range. */
interface Dimension {
    /** Number of points; 0 for a continuous range. */
    int size();

    /** The overrides of one point. */
    List<String> at(int index);

    /** The overrides at a share of the range, from 0 to below 1; every point has an equal part of it. */
    default List<String> at(double share) {
        return at((int) (share * size()));
    }
}
