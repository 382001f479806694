/** Generators of serving workloads: request lengths and arrival times; pure and seeded. */
@NullMarked
package dev.stagesim.sim.workload;

import org.jspecify.annotations.NullMarked;
