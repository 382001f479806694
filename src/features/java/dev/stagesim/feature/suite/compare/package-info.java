/** Compares measured workloads of the profiling suite with predictions and with each other. */
@NullMarked
package dev.stagesim.feature.suite.compare;

import org.jspecify.annotations.NullMarked;
