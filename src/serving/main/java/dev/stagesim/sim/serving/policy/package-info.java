/** Schedulers of serving engines, which select the requests of a step and their tokens. */
@NullMarked
package dev.stagesim.sim.serving.policy;

import org.jspecify.annotations.NullMarked;
