/** Profiling bundles in Vidur's directory layout: folders, row selection, and writing. */
@NullMarked
package dev.stagesim.io.bundle;

import org.jspecify.annotations.NullMarked;
