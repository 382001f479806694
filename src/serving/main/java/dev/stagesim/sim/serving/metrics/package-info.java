/** Recorders of a simulation and the metrics and verdicts derived from it. */
@NullMarked
package dev.stagesim.sim.serving.metrics;

import org.jspecify.annotations.NullMarked;
