/** What requests ask of a serving engine: lengths, order, and the identity of their tokens. */
@NullMarked
package dev.stagesim.sim.serving.request;

import org.jspecify.annotations.NullMarked;
