/** Cycle and memory model of a systolic array: exact closed forms if they exist, otherwise word-by-word simulation. */
@NullMarked
package dev.stagesim.sim.systolic;

import org.jspecify.annotations.NullMarked;
