/** Looking into execution traces: graphs, figures, differences, checks, timelines. Pure. */
@NullMarked
package dev.stagesim.sim.trace.inspect;

import org.jspecify.annotations.NullMarked;
