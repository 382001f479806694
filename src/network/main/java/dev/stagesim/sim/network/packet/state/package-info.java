/** Parameters and shared mutable state of a packet network: clock, flows, frames and counters. */
@NullMarked
package dev.stagesim.sim.network.packet.state;

import org.jspecify.annotations.NullMarked;
