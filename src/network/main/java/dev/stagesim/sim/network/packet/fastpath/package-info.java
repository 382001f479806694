/** Analytic simulation of uncontended flows, and replay of recorded busy periods, without an event per frame. */
@NullMarked
package dev.stagesim.sim.network.packet.fastpath;

import org.jspecify.annotations.NullMarked;
