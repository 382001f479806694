/** Sweeps: overrides with several values become an ordered list of jobs, each an ordinary list of overrides. */
@NullMarked
package dev.stagesim.config.sweep;

import org.jspecify.annotations.NullMarked;
