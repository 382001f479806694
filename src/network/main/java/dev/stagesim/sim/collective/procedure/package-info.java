/** Collective algorithms along one dimension: communication patterns, phases, rings and communicator groups. */
@NullMarked
package dev.stagesim.sim.collective.procedure;

import org.jspecify.annotations.NullMarked;
