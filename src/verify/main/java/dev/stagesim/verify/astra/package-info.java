/** Replays recorded runs of ASTRA-sim's analytical simulators. */
@NullMarked
package dev.stagesim.verify.astra;

import org.jspecify.annotations.NullMarked;
