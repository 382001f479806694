/** Observers, statistics and results of a run, and its deadlock report. */
@NullMarked
package dev.stagesim.sim.collective.result;

import org.jspecify.annotations.NullMarked;
