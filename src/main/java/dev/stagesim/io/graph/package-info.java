/** Graphs and timelines of execution traces as files for other tools. */
@NullMarked
package dev.stagesim.io.graph;

import org.jspecify.annotations.NullMarked;
