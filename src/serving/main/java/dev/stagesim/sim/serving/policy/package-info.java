/** Batch policies: which requests a step serves, with how many tokens each. */
@NullMarked
package dev.stagesim.sim.serving.policy;

import org.jspecify.annotations.NullMarked;
