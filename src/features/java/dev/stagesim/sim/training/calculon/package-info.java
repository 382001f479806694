/**
 * A training step as calculon estimates it: one transformer block in layers, a batch of blocks, and a search over executions.
 *
 * <p>Figures are those of calculon at caa4b11, its accidents included; {@code compat=calculon} is their only user.
 */
@NullMarked
package dev.stagesim.sim.training.calculon;

import org.jspecify.annotations.NullMarked;
