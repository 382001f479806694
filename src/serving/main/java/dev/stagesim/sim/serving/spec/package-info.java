/** The specification of a simulation: model shape, devices, scheduler, timing and memory plan. */
@NullMarked
package dev.stagesim.sim.serving.spec;

import org.jspecify.annotations.NullMarked;
