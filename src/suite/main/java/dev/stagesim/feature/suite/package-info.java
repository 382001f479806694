/** The framework profiling suite: its workloads, their measurement on TensorFlow, and reports. */
@NullMarked
package dev.stagesim.feature.suite;

import org.jspecify.annotations.NullMarked;
