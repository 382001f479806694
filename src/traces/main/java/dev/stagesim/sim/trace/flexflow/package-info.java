/** Converts FlexFlow task graphs to execution traces. */
@NullMarked
package dev.stagesim.sim.trace.flexflow;

import org.jspecify.annotations.NullMarked;
