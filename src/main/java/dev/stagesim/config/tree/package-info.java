/** The ordered, immutable configuration tree; every node remembers where it came from. */
@NullMarked
package dev.stagesim.config.tree;

import org.jspecify.annotations.NullMarked;
