package dev.stagesim.config.sweep;

import java.util.List;

/** One dimension of a sweep: a list of points, each one or more overrides that belong together. */
interface Dimension {
    int size();

    /** The overrides of one point. */
    List<String> at(int index);
}
