/** Reads and writes the files of packet-level network simulators: configuration, topology, and their outputs. */
@NullMarked
package dev.stagesim.io.packet;

import org.jspecify.annotations.NullMarked;
