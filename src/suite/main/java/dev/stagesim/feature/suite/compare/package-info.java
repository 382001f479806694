/** Comparison of measured suite workloads with predictions and with each other. */
@NullMarked
package dev.stagesim.feature.suite.compare;

import org.jspecify.annotations.NullMarked;
