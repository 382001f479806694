/** The ordered, immutable configuration tree. Every node has the place where it was written. */
@NullMarked
package dev.stagesim.config.tree;

import org.jspecify.annotations.NullMarked;
