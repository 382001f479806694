/** Files of ASTRA-sim: system, network, remote memory and communicator groups. */
@NullMarked
package dev.stagesim.io.astra;

import org.jspecify.annotations.NullMarked;
