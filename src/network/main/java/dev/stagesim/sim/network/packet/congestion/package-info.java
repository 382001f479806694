/** Congestion controls of the senders, one class per algorithm. */
@NullMarked
package dev.stagesim.sim.network.packet.congestion;

import org.jspecify.annotations.NullMarked;
