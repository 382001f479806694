/** What a training strategy costs: work, memory of a device and time of a step, in closed form and from pipeline timelines. */
@NullMarked
package dev.stagesim.sim.training;

import org.jspecify.annotations.NullMarked;
