/** The pending events of a packet network, in order of time and of the moment they were scheduled. */
@NullMarked
package dev.stagesim.sim.network.packet.event;

import org.jspecify.annotations.NullMarked;
