/** What accelerators can carry, how fast, and at what power and cost: pure models of capacity. */
@NullMarked
package dev.stagesim.sim.capacity;

import org.jspecify.annotations.NullMarked;
