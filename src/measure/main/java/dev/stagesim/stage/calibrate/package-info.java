/** The stage {@code calibrate}: fits host times and efficiencies to part of a measured run, and validates them on the rest. */
@NullMarked
package dev.stagesim.stage.calibrate;

import org.jspecify.annotations.NullMarked;
