package dev.stagesim.config.bind;

import dev.stagesim.model.Access.Resource;

/**
 * A key of the configuration.
 *
 * @param path its path; {@code <n>} represents a list index, {@code <name>} a name that the user chooses
 * @param isPath true if the value is a path or a list of paths, mandatory or not
 * @param access the resource that the key gives access to
 */
public record KeyInfo(String path, boolean isPath, Resource access) {}
