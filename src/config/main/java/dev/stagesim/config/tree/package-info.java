/** The ordered, immutable configuration tree. Every node records its origin. */
@NullMarked
package dev.stagesim.config.tree;

import org.jspecify.annotations.NullMarked;
