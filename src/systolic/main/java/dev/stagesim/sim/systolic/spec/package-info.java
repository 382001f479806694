/** Configuration, layers and results of the systolic array model. */
@NullMarked
package dev.stagesim.sim.systolic.spec;

import org.jspecify.annotations.NullMarked;
