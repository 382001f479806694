package dev.stagesim.config.bind;

import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.model.Access.Resource;

/**
 * A value that gives access to something outside of the run.
 *
 * @param path its key, with indices of lists
 */
public record ReachingValue(String path, Resource access, ScalarNode value) {}
