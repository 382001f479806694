/** Cycle and memory model of a systolic array: closed forms where they are exact, counting walks where they are not. */
@NullMarked
package dev.stagesim.sim.systolic;

import org.jspecify.annotations.NullMarked;
