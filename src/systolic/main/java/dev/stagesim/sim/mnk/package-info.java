/** Training workloads of distributed matrix products: shards, collectives and the text format of ASTRA-sim 1.0. */
@NullMarked
package dev.stagesim.sim.mnk;

import org.jspecify.annotations.NullMarked;
