/** Predictions of published training steps: time, memory and the selected strategy. */
@NullMarked
package dev.stagesim.verify.fidelity.training;

import org.jspecify.annotations.NullMarked;
