/** Predictions of published measurements, row by row, and how far off they are; {@code specs/fidelity.md} has the table. */
@NullMarked
package dev.stagesim.verify.fidelity;

import org.jspecify.annotations.NullMarked;
