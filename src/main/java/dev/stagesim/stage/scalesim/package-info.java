/** The stage {@code scale_sim}: layers on a systolic array. */
@NullMarked
package dev.stagesim.stage.scalesim;

import org.jspecify.annotations.NullMarked;
