/** Lengths of prompts and outputs as load generators draw them. */
@NullMarked
package dev.stagesim.verify.fidelity.lengths;

import org.jspecify.annotations.NullMarked;
