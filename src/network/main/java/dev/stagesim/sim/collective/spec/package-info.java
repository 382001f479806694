/** Parameters of the simulated machine, of its memory and of the run. */
@NullMarked
package dev.stagesim.sim.collective.spec;

import org.jspecify.annotations.NullMarked;
