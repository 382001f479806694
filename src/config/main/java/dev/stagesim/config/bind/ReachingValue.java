package dev.stagesim.config.bind;

import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.model.Access.Resource;

/**
 * A configured value that gives access to a resource outside the run.
 *
 * @param path its key, with list indices
 */
public record ReachingValue(String path, Resource access, ScalarNode value) {}
