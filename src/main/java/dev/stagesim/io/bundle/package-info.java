/** Profiling bundles in Vidur's directory layout: where files lie, which rows apply, and writing them. */
@NullMarked
package dev.stagesim.io.bundle;

import org.jspecify.annotations.NullMarked;
