/** Orders of pipeline schedules and the timelines that follow from them. */
@NullMarked
package dev.stagesim.sim.training.schedule;

import org.jspecify.annotations.NullMarked;
