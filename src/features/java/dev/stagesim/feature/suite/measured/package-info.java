/** Measured workloads of the profiling suite: efficiencies of classes of operators, and how far predictions are off. */
@NullMarked
package dev.stagesim.feature.suite.measured;

import org.jspecify.annotations.NullMarked;
