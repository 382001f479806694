/** Predicts service rates, latencies and training step times of a model on a target. */
@NullMarked
package dev.stagesim.feature.fabric.performance;

import org.jspecify.annotations.NullMarked;
