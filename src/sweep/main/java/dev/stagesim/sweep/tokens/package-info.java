/** Counts of token times, which jobs compute from their runs and a sweep merges. */
@NullMarked
package dev.stagesim.sweep.tokens;

import org.jspecify.annotations.NullMarked;
