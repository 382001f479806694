/** Regression forests grown draw for draw and sum for sum as the reference recipe prescribes. */
@NullMarked
package dev.stagesim.predict.forest;

import org.jspecify.annotations.NullMarked;
