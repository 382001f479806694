/**
 * Networks between NPUs, each with its own simulated clock: messages of a size and a tag go from NPU to NPU and are
 * matched with the receives posted for them.
 *
 * <p>A backend owns the pending events, its own and its client's, in one total order of (time, order of scheduling).
 * Times are whole nanoseconds, which are the cycles of the reference. {@code specs/astra-sim.md} states the
 * behaviour.
 */
@NullMarked
package dev.stagesim.sim.network;

import org.jspecify.annotations.NullMarked;
