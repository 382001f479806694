/** Stage {@code scale_sim}: layers on a systolic array. */
@NullMarked
package dev.stagesim.feature.scalesim;

import org.jspecify.annotations.NullMarked;
