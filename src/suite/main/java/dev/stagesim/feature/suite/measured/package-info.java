/** Measured workloads of the profiling suite: efficiencies of operator classes and prediction errors. */
@NullMarked
package dev.stagesim.feature.suite.measured;

import org.jspecify.annotations.NullMarked;
