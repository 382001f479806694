/** Predictors of operator times with a common interface: tables, interpolation, regression. */
@NullMarked
package dev.stagesim.predict;

import org.jspecify.annotations.NullMarked;
