/**
 * Times of kernels, collectives and whole engine steps in closed form, from a model card, a hardware card and an engine
 * card; {@code specs/step-times.md} has the formulas.
 */
@NullMarked
package dev.stagesim.sim.kernels;

import org.jspecify.annotations.NullMarked;
