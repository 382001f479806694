/**
 * Networks between NPUs, each with its simulated clock. Messages with a size and a tag travel between NPUs and are
 * matched with posted receives.
 *
 * <p>A backend owns all pending events, of the network and of its client, in one total order of (time, order of
 * scheduling). Times are whole nanoseconds, which equal the cycles of the reference. {@code specs/astra-sim.md}
 * specifies the behaviour.
 */
@NullMarked
package dev.stagesim.sim.network;

import org.jspecify.annotations.NullMarked;
