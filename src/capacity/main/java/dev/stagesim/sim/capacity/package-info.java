/** Pure models of capacity: the throughput, latency, power and cost of accelerators. */
@NullMarked
package dev.stagesim.sim.capacity;

import org.jspecify.annotations.NullMarked;
