/** Simulation of one representative for each class of NPUs with equivalent work, and its verification. */
@NullMarked
package dev.stagesim.sim.collective.symmetry;

import org.jspecify.annotations.NullMarked;
