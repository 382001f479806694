/** Drawings of execution traces for people and other tools: graphs and timelines. */
@NullMarked
package dev.stagesim.io.drawing;

import org.jspecify.annotations.NullMarked;
