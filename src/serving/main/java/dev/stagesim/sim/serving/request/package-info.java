/** Properties of requests: lengths, order, and the identity of their tokens. */
@NullMarked
package dev.stagesim.sim.serving.request;

import org.jspecify.annotations.NullMarked;
