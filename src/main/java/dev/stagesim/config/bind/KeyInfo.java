package dev.stagesim.config.bind;

import dev.stagesim.model.Access.Resource;

/**
 * A key of the configuration.
 *
 * @param path where it is; {@code <n>} stands for a place in a list, {@code <name>} for a name of the user's
 * @param isPath whether it holds a path or a list of paths, mandatory or not
 * @param access what it gives access to
 */
public record KeyInfo(String path, boolean isPath, Resource access) {}
