/** Analysis of execution traces: graphs, statistics, differences, checks, timelines. Pure functions. */
@NullMarked
package dev.stagesim.sim.trace.inspect;

import org.jspecify.annotations.NullMarked;
