/** The KV cache of a serving engine: blocks, their owners, and the prefix cache. */
@NullMarked
package dev.stagesim.sim.serving.memory;

import org.jspecify.annotations.NullMarked;
