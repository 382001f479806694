/** Files that give a network link by link. */
@NullMarked
package dev.stagesim.io.graph;

import org.jspecify.annotations.NullMarked;
