/** Makes execution traces of known shape: the reference's patterns, and training steps from a few figures. */
@NullMarked
package dev.stagesim.sim.trace.generate;

import org.jspecify.annotations.NullMarked;
