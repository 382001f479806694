/** Pipeline schedules: the order of operations on each rank, and their timelines. */
@NullMarked
package dev.stagesim.sim.training.schedule;

import org.jspecify.annotations.NullMarked;
