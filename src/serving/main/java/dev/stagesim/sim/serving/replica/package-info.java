/** One replica: request states, batches, scheduling policies and step times. */
@NullMarked
package dev.stagesim.sim.serving.replica;

import org.jspecify.annotations.NullMarked;
