/** Converts workloads in the text format of ASTRA-sim 1.0 to execution traces. */
@NullMarked
package dev.stagesim.sim.trace.text;

import org.jspecify.annotations.NullMarked;
