/**
 * Simulator of collective communication and training steps. Every NPU executes a graph of nodes (computation, memory,
 * messages, collectives); collectives become chunks, phases and messages on a {@link dev.stagesim.sim.network.Network}.
 *
 * <p>Pure function from specifications and traces to a {@link dev.stagesim.sim.collective.result.SimulationResult}. {@code
 * specs/astra-sim.md} specifies the behaviour, including the defects of the reference.
 */
@NullMarked
package dev.stagesim.sim.collective;

import org.jspecify.annotations.NullMarked;
