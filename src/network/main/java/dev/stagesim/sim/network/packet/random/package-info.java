/** Random number generators with the sequences of ns-3 and of the C library. */
@NullMarked
package dev.stagesim.sim.network.packet.random;

import org.jspecify.annotations.NullMarked;
