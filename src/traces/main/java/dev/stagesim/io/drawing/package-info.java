/** Drawings of execution traces, for users and other tools: graphs and timelines. */
@NullMarked
package dev.stagesim.io.drawing;

import org.jspecify.annotations.NullMarked;
