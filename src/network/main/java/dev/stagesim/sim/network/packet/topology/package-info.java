/** Hosts, switches, cables and ports of a packet network, and the shortest routes between its hosts. */
@NullMarked
package dev.stagesim.sim.network.packet.topology;

import org.jspecify.annotations.NullMarked;
