/** Computation, memory and step time of training strategies, in closed form and by pipeline simulation. */
@NullMarked
package dev.stagesim.sim.training;

import org.jspecify.annotations.NullMarked;
