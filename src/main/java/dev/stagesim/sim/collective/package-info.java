/**
 * The simulator of collective communication and training steps: every NPU works through a graph of nodes (computation,
 * memory, messages, collectives), and collectives become chunks, phases and messages on a {@link
 * dev.stagesim.sim.network.Network}.
 *
 * <p>Pure: specs and traces in, a {@link dev.stagesim.sim.collective.SimulationResult} out. {@code specs/astra-sim.md}
 * states the behaviour, quirk by quirk.
 */
@NullMarked
package dev.stagesim.sim.collective;

import org.jspecify.annotations.NullMarked;
