/** Hands out the nodes of a trace as their dependencies are done, as the reference's two feeders do. */
@NullMarked
package dev.stagesim.sim.trace.feed;

import org.jspecify.annotations.NullMarked;
