/** The key-value cache of a serving engine: blocks, who holds them, and what can be found again. */
@NullMarked
package dev.stagesim.sim.serving.memory;

import org.jspecify.annotations.NullMarked;
