/** Traces of the NPUs as arrays, their construction from trace nodes, and the errors of nodes. */
@NullMarked
package dev.stagesim.sim.collective.trace;

import org.jspecify.annotations.NullMarked;
