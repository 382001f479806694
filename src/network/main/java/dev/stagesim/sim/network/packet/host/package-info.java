/** Senders and receivers: pacing, windows, acknowledgements and retransmission. */
@NullMarked
package dev.stagesim.sim.network.packet.host;

import org.jspecify.annotations.NullMarked;
