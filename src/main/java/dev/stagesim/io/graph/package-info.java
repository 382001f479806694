/** Readers for files that describe a network link by link. */
@NullMarked
package dev.stagesim.io.graph;

import org.jspecify.annotations.NullMarked;
