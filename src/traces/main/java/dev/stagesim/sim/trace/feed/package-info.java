/** Issues the nodes of a trace when their dependencies complete, like the two feeders of the Chakra reference. */
@NullMarked
package dev.stagesim.sim.trace.feed;

import org.jspecify.annotations.NullMarked;
