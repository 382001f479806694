/** Turns task graphs of FlexFlow into execution traces. */
@NullMarked
package dev.stagesim.sim.trace.flexflow;

import org.jspecify.annotations.NullMarked;
