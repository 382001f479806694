/**
 * Closed-form times of kernels, collectives and whole engine steps, from a model card, a hardware card and an engine
 * card. {@code specs/step-times.md} lists the formulas.
 */
@NullMarked
package dev.stagesim.sim.kernels;

import org.jspecify.annotations.NullMarked;
