/** Files of ASTRA-sim: system, network, remote memory and communicator groups, read with its rules and written back. */
@NullMarked
package dev.stagesim.io.astra;

import org.jspecify.annotations.NullMarked;
