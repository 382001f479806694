/** Replays recorded runs of the packet-level network simulator. */
@NullMarked
package dev.stagesim.verify.packet;

import org.jspecify.annotations.NullMarked;
