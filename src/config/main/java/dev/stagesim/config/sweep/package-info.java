/**
 * Sweeps: expands overrides with several values into an ordered list of jobs. Each job is a list of plain overrides.
 */
@NullMarked
package dev.stagesim.config.sweep;

import org.jspecify.annotations.NullMarked;
