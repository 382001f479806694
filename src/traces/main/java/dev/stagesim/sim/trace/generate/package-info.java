/**
 * Generates execution traces: patterns of the reference generators, and training steps from a model and a parallelism.
 */
@NullMarked
package dev.stagesim.sim.trace.generate;

import org.jspecify.annotations.NullMarked;
