/** Predictions of published measurements, row by row, with their errors. The table is in {@code specs/fidelity.md}. */
@NullMarked
package dev.stagesim.verify.fidelity;

import org.jspecify.annotations.NullMarked;
