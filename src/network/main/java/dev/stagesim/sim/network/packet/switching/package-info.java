/** Transmission of frames on cables, and the buffers of switches: admission, ECN marks and pauses. */
@NullMarked
package dev.stagesim.sim.network.packet.switching;

import org.jspecify.annotations.NullMarked;
